"""The laboratory: any strategy on any recorded web, judged by a referee that no strategy can see."""

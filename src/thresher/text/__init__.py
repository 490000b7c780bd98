"""Words out of text, in English and Chinese, and what they have in common."""

"""The face of Thresher: crawls watched, searched and steered in a browser, by an API that anybody may use."""

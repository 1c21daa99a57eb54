"""The metric: a value with options, rows of counts and scores; explanations and their drawing."""

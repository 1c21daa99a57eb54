"""Drop-ins for other packages' modules: their functions, classes and results, with the scores of the suite."""

"""Drop-ins: the names and arguments of other packages, with the metrics of this one behind them."""

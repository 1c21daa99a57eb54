"""Other packages' names, argument orders and objects, with tercet's metrics behind them."""

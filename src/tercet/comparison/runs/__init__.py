"""Systems with several runs, such as seeds: which outputs are one system's, and what is certain over them."""

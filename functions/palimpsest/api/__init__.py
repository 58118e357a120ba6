"""What every HTTP handler shares: resolver, problems, identity."""

package irregular

"""``python -m agentlens.cli``."""

from agentlens.cli import main

raise SystemExit(main())

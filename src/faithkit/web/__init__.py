"""The app in the browser: saved results, live checks, and an API for programs. Needs the extra
`web`."""

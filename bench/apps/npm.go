package main

import "path/filepath"

// npm is a package of the npm registry: its name, its release, and an older one, "" where there is none.
type npm struct{ name, release, older string }

// npmFolder is where scripts/bench-apps puts what comes with npm, a folder for each package and release.
const npmFolder = "bin/apps/npm"

func npmPath(pinned, file string) string {
	path, err := filepath.Abs(filepath.Join(npmFolder, pinned, "node_modules", file))
	if err != nil {
		return file // there is no working directory: it is missed
	}
	return path
}

// needs are its releases, known by one of their files.
func (n npm) needs(file string) []need {
	var needs []need
	for _, release := range []string{n.release, n.older} {
		if pinned := n.name + "@" + release; release != "" {
			needs = append(needs, need{npmPath(pinned, file), "npm install " + pinned})
		}
	}
	return needs
}

// npm is a file of the release that the host runs.
func (h *host) npm(n npm, file string) string {
	release := n.release
	if h.older {
		release = n.older
	}
	return npmPath(n.name+"@"+release, file)
}

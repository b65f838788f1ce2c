// Command reprise records flows in a browser, stores them as documents that hold
// no secret, and plays them with other values. `reprise help` lists the commands.
package main

import (
	"os"

	"github.com/go-reprise/reprise/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }

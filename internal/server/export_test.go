package server

import (
	"maps"
	"slices"
)

// Routes are the patterns of the API's paths.
func Routes() []string { return slices.Sorted(maps.Keys((&api{}).routes())) }

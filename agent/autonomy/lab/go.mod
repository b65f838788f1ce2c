module github.com/go-reprise/reprise/agent/autonomy/lab

go 1.26.0

replace github.com/go-reprise/reprise => ../../../

require github.com/go-reprise/reprise v0.0.0

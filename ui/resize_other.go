//go:build !unix

package ui

import "os"

func notifyResize(chan<- os.Signal) {}

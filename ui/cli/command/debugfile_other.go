//go:build !unix

package command

// dontWaitOrFollow asks for nothing: there are no named pipes among files.
const dontWaitOrFollow = 0

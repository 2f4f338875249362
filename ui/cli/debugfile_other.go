//go:build !unix

package cli

// dontWaitOrFollow asks for nothing: there are no named pipes among files.
const dontWaitOrFollow = 0

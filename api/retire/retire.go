// Package retire is the workflow that retires credits exactly once, with its journal.
// Only this package writes and sends retirement calls. The command line and the
// dashboard only read input and show results.
//
// A Submission has the lines to retire and the calls that serve them. A single
// retirement is a submission of one line. Recall reads the calls of the lines from the
// journal, PlanLine plans the remaining quantity, and Send does the rest:
//
//  1. It reads the market and the wallets again. If a price, an order or a wallet
//     changed, it returns ErrMoved, and writes and sends nothing.
//  2. It writes all calls of a single retirement. It does not write those of a batch,
//     because a second run of the same batch plans its lines again. The transaction that
//     writes a call first checks that the calls with its reference are those that the plan
//     knew; see checkBasis.
//  3. It sends the calls in order. Each is in the journal before its first byte is sent,
//     with the displayed price, and is sent again with the same id and body while its
//     outcome is unknown.
//
// The first call that is not done ends the submission, from the command line and the dashboard:
//
//   - Refused: the call had no effect. No other call of its vintage is sent, because its
//     plan assumed this one; a batch continues with its other vintages. The rest of a
//     single retirement is abandoned. The service also refuses a call whose price has
//     changed.
//   - Made by another journal: nothing more is sent, and the rest is abandoned. A batch
//     continues if it takes over.
//   - Unknown, turned away, or connection lost: nothing more is sent. The rest stays in
//     the journal until a user resumes or abandons it, or a new plan replaces it. Resume
//     sends the same ids, and stops at the first call that remains open.
//   - If no call of a single retirement took effect or may have, the rest is abandoned.
//
// After an attempt with an unknown outcome, a refusal counts only if it is received
// twice; see Workflow.Resume. A call that was abandoned with an unknown outcome blocks
// the same request until Settle records what the operator found.
package retire

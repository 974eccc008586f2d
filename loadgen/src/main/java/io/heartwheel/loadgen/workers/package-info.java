/**
 * Coordinates many workers as one: divides the work over processes and machines, starts them, asks them all at the same
 * time and adds up what they say; and keeps the gateway processes of a run, and
 * those of services beside them.
 *
 * <p>Over {@code fleet}, beside {@code report}. Time limits are waits, not readings: no clock is looked at here.
 *
 * <pre>
 *   Load, MachineLimits --&gt; LoadDivision --&gt; plan table, obstacles
 *                       |
 *                       v                         JSON lines, one question at a time
 *      WorkerPool: WorkerGroup +-- RemoteWorker --stdin/stdout--&gt; WorkerLoop --&gt; Worker (a process)
 *                             +-- RemoteWorker --stdin/stdout--&gt; WorkerLoop --&gt; Worker
 *      AgentPool: WorkerGroup -+-- RemoteWorker --a command----&gt; WorkerLoop --&gt; WorkerPool of its own
 *
 *      GatewayPool ----------- ChildProcess, ChildProcess ... gateways on shared ports
 *      ServicePool ----------- ChildProcess, ChildProcess ... what they speak to, each on ports of its own
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.workers;

import org.jspecify.annotations.NullMarked;

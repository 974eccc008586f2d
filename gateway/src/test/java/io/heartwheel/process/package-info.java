/**
 * The gateway as its operator meets it: the runnable jar in a process of its own, spoken to over sockets, asked through its admin
 * listener, told things by signals.
 *
 * <pre>
 *   *IT, *InteropTest --&gt; GatewayProcess --&gt; java -jar heartwheel-gateway.jar
 *          |                                          ^
 *          +--&gt; WireClient, WebSocketWire -- sockets -+
 *
 *   FaultsIT, PartitionInteropTest --&gt; Freeze, LoopFreezer, Ballast, LabNetwork: the fault
 *          |
 *          +--&gt; Herd, or a HerdProcess of its own --&gt; DeviceReport of each device --&gt; Judgement by the Contract
 * </pre>
 *
 * <p>The clients here are written from the wire document and share no code with the gateway.
 */
package io.heartwheel.process;

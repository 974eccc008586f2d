/**
 * Credentials that a run makes for its devices, and what the gateway has to be given to check them. Floor 3.
 *
 * <pre>
 *   Auth + seed --&gt; keys, tokens, certificates --+--&gt; DeviceCredentials --&gt; devices (each worker)
 *                                                +--&gt; GatewayAuth --files, server, settings--&gt; gateway (the coordinator)
 * </pre>
 *
 * <p>All of it is a function of the scenario and its seed, so workers and agents need not be told any key. Whoever knows the seed knows the keys:
 * they are for a gateway under test.
 */
@NullMarked
package io.heartwheel.loadgen.credential;

import org.jspecify.annotations.NullMarked;

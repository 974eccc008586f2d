package io.heartwheel.transport;

import io.heartwheel.net.Networks;

/**
 * PROXY protocol of a listener behind balancers. Immutable; any thread.
 *
 * @param trusted where the balancers are, at least one network; nobody else is let in
 */
public record ProxySettings(Networks trusted) {}

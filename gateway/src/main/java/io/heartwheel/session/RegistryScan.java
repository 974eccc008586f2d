package io.heartwheel.session;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * One way through all devices, in pieces: what is held at a time is one stripe's share, a thousandth of them. A device that comes or goes meanwhile may be
 * missed. One thread; others may change the registry as they like.
 */
public final class RegistryScan implements Iterator<Session> {
    private final SessionRegistry registry;
    private int nextStripe;
    private Iterator<Session> stripe = List.<Session>of().iterator();

    RegistryScan(SessionRegistry registry) {
        this.registry = registry;
    }

    @Override
    public boolean hasNext() {
        while (!stripe.hasNext() && nextStripe < SessionRegistry.STRIPES) {
            stripe = registry.copyOfStripe(nextStripe++).iterator();
        }
        return stripe.hasNext();
    }

    @Override
    public Session next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the round is over");
        }
        return stripe.next();
    }
}

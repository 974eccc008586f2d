package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import java.util.List;

/**
 * All that one player saw.
 *
 * @param ledger counts since the beginning, timings since {@link Player#observe}
 * @param evidence what speaks against the gateway, piece by piece, the first few of each kind
 * @param grantedLeastMillis smallest interval granted, {@link Long#MAX_VALUE} when nobody was welcomed
 * @param grantedMostMillis largest
 * @param atObserve usage of the player's process when observation began
 * @param atEnd and now
 */
public record Part(
        Ledger.Page ledger,
        List<Evidence> evidence,
        long grantedLeastMillis,
        long grantedMostMillis,
        Usage atObserve,
        Usage atEnd) {}

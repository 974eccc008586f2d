package io.heartwheel.history;

/**
 * Settings of the evidence: how many closes are remembered, and how many refusals become events. Immutable; any thread.
 *
 * @param closes of connections that were established
 * @param handshakes of connections that never were
 * @param refusalEvents events of refused connections a second for each reason
 */
public record EvidenceSettings(int closes, int handshakes, int refusalEvents) {
    /** The settings of the reference configuration. */
    public static final EvidenceSettings DEFAULTS = new EvidenceSettings(10_000, 1_000, 10);
}

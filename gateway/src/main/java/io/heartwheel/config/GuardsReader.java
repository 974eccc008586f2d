package io.heartwheel.config;

import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.session.BreakerSettings;
import io.heartwheel.session.RateLimits;
import io.heartwheel.session.StallSettings;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.transport.MemorySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads what guards the deadlines against the gateway's own faults and the network's, and how much of it is remembered or traced. One thread, once. */
final class GuardsReader {
    private static final String REFUSAL_EVENTS = EvidenceSettings.MIN + ".." + EvidenceSettings.MAX_REFUSAL_EVENTS;
    private static final String REMEMBERED = EvidenceSettings.MIN + ".." + EvidenceSettings.MAX;

    private static final String SHARE = "0.01..0.99";

    private GuardsReader() {}

    static Supplier<StallSettings> stalls(Section section) {
        boolean credit = section.flag("credit");
        Duration threshold = section.duration("threshold", "10ms..10s");
        Duration maxCredit = section.duration("max-credit", "0s..1h");
        return () -> new StallSettings(credit, threshold, maxCredit);
    }

    static Supplier<BreakerSettings> breaker(Section section) {
        boolean enabled = section.flag("enabled");
        Duration window = section.duration("window", "1s..10m");
        double share = section.decimal("share", "0.01..1");
        double groupShare = section.decimal("group-share", "0.01..1");
        int least = section.integer("least", "1..1000000");
        Duration patience = section.duration("patience", "100ms..1h");
        int closeRate = section.integerOr("close-rate", "1..1000000", "auto", BreakerSettings.BY_FLEET);
        return () -> new BreakerSettings(enabled, window, share, groupShare, least, patience, closeRate);
    }

    static Supplier<MemorySettings> memory(Section section) {
        boolean enabled = section.flag("enabled");
        double refuseAbove = section.decimal("refuse-above", SHARE);
        double admitBelow = section.decimal("admit-below", SHARE);
        if (section.isGood() && admitBelow >= refuseAbove) {
            section.problem("admit-below", "need less than refuse-above = " + section.shown("refuse-above"));
        }
        double unfinished = section.decimal("unfinished", SHARE);
        return () -> new MemorySettings(enabled, refuseAbove, admitBelow, unfinished);
    }

    static Supplier<RateLimits> limits(Section section) {
        boolean enabled = section.flag("enabled");
        int frames = section.integer("frames-per-second", "1..1000000");
        long bytes = section.bytes("bytes-per-second", "16KiB..1GiB");
        Duration burst = section.duration("burst", "100ms..1m");
        Duration closeAfter = section.duration("close-after", "1s..1h");
        return () -> new RateLimits(enabled, frames, bytes, burst, closeAfter);
    }

    static Supplier<EvidenceSettings> evidence(Section section) {
        int closes = section.integer("closes", REMEMBERED);
        int handshakes = section.integer("handshakes", REMEMBERED);
        int refusalEvents = section.integer("refusal-events", REFUSAL_EVENTS);
        return () -> new EvidenceSettings(closes, handshakes, refusalEvents);
    }

    static Supplier<TraceSettings> trace(Section section, Instance instance) {
        boolean enabled = section.flag("enabled");
        Optional<Path> file = enabled ? section.writable("file") : section.path("file");
        if (enabled && file.isEmpty()) {
            section.problem("file", "need a file with enabled = true");
        }
        double share = section.decimal("share", "0..1");
        int stamps = section.integer("stamps", "16..65536");
        long maxBytes = section.bytes("max-bytes", "1MiB..64GiB");
        return () -> new TraceSettings(enabled, file.map(instance::own).orElse(Path.of("")), share, stamps, maxBytes);
    }
}

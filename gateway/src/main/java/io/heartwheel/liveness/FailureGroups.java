package io.heartwheel.liveness;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Groups of connections in which deaths stand out: one subnet (/24 of IPv4, /48 of IPv6), one listener, one event loop, or all. The narrowest that explains them opens.
 *
 * <pre>
 *   1. more than share of all died, without the subnet with the most deaths too, and most subnets are affected, by number and by connections: everywhere
 *   2. else the subnets of which more than group-share died open. Is the rest over share still? The heaviest are blamed and open as well, one by
 *      one, until it is not. Over still, when no subnet is left with a sixteenth of the deaths: everywhere
 *   3. the same for each listener and loop, with group-share
 *   4. everywhere, but without those listeners or loops the rest would not be over share, and others of their kind go on: they open. Else: all
 * </pre>
 *
 * So whoever has one subnet can make the gateway wait for his own connections, and for nobody else's. A connection counts from its WELCOME on, whether it
 * said anything since or not: a fleet that comes back and dies at once is a mass expiry as well.
 *
 * <p>An open scope closes when for a whole window there was no reason to open it. Subnets share {@value #SUBNETS} counters by a hash, so memory is
 * bounded; two that share one are taken for one.
 *
 * <p>{@link #entered}, {@link #left}, {@link #isOpenFor} and {@link #open(Breaker.Kind)}: any thread. The rest under the breaker's lock.
 */
final class FailureGroups {
    private static final int SUBNETS = FailureGroupCounts.SUBNETS;
    /** Told apart; all further ones are taken for one. */
    private static final int LISTENERS = 64;

    private static final int MAX_NAMES = 16;
    /** With less than this part of the deaths a subnet is one of many. */
    private static final int HEAVY_PARTS = 16;

    private static final long V4 = 1L << 48;
    private static final long V6 = 2L << 48;
    /** The prefix of IPv4 addresses in IPv6's form. */
    private static final int MAPPED_BYTES = 12;

    private final FailureGroupCounts all = new FailureGroupCounts("all");
    private final List<FailureGroupCounts> loops = new ArrayList<>();
    private final AtomicReferenceArray<@Nullable FailureGroupCounts> listeners = new AtomicReferenceArray<>(LISTENERS);
    private final AtomicIntegerArray subnetOpen = new AtomicIntegerArray(SUBNETS);

    private final long[] subnetUntilNanos = new long[SUBNETS];
    /** Whose deaths each counter has seen last. */
    private final long[] prefixes = new long[SUBNETS];

    private final Set<String> names = new LinkedHashSet<>();
    private final long slotNanos;
    private final long windowNanos;
    private BreakerSettings settings;
    private long slotBeginNanos;
    private int slot;
    private long expired;
    private long connections;

    FailureGroups(BreakerSettings settings, int loops, long nowNanos) {
        this.settings = settings;
        for (int i = 0; i < loops; i++) {
            this.loops.add(new FailureGroupCounts("loop " + i));
        }
        windowNanos = settings.window().toNanos();
        slotNanos = windowNanos / FailureGroupCounts.SLOTS;
        slotBeginNanos = nowNanos;
    }

    // ------------------------------------------------------------------ any thread

    void entered(MonitoredConnection connection) {
        int subnet = subnet(prefix(connection.remoteAddress()));
        all.entered(subnet);
        loop(connection).entered(subnet);
        listener(connection).entered(subnet);
    }

    void left(MonitoredConnection connection) {
        int subnet = subnet(prefix(connection.remoteAddress()));
        all.left(subnet);
        loop(connection).left(subnet);
        listener(connection).left(subnet);
    }

    boolean isOpenFor(MonitoredConnection connection) {
        return all.isOpen()
                || loop(connection).isOpen()
                || listener(connection).isOpen()
                || subnetOpen.get(subnet(prefix(connection.remoteAddress()))) != 0;
    }

    /** How many of this kind are open. */
    int open(Breaker.Kind kind) {
        return switch (kind) {
            case ALL -> all.isOpen() ? 1 : 0;
            case LISTENER -> countOpen(listeners());
            case LOOP -> countOpen(loops);
            case SUBNET -> openSubnets().cardinality();
        };
    }

    private static int countOpen(Collection<FailureGroupCounts> failureGroups) {
        return (int) failureGroups.stream().filter(FailureGroupCounts::isOpen).count();
    }

    private FailureGroupCounts loop(MonitoredConnection connection) {
        return loops.get(connection.livenessContext().place().loop());
    }

    private FailureGroupCounts listener(MonitoredConnection connection) {
        Location place = connection.livenessContext().place();
        int at = Math.min(place.listener(), LISTENERS - 1);
        FailureGroupCounts counts = listeners.get(at);
        while (counts == null) {
            listeners.compareAndSet(at, null, new FailureGroupCounts("listener " + place.listenerName()));
            counts = listeners.get(at);
        }
        return counts;
    }

    private List<FailureGroupCounts> listeners() {
        return IntStream.range(0, LISTENERS)
                .mapToObj(listeners::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The network's bits with the version above them; 0 if the address is not known. */
    static long prefix(byte[] address) {
        if (address.length == 4) {
            return V4 | bits(address, 0, 3);
        }
        if (address.length < 16) {
            return 0;
        }
        boolean mapped = bits(address, 0, 5) == 0 && bits(address, 5, 7) == 0xFFFF;
        return mapped ? V4 | bits(address, MAPPED_BYTES, 3) : V6 | bits(address, 0, 6);
    }

    private static long bits(byte[] address, int from, int bytes) {
        long bits = 0;
        for (int i = from; i < from + bytes; i++) {
            bits = bits << 8 | (address[i] & 0xFF);
        }
        return bits;
    }

    private static int subnet(long prefix) {
        long hash = prefix * 0x9E3779B97F4A7C15L;
        return (int) (((hash ^ (hash >>> 29)) * 0xBF58476D1CE4E5B9L) >>> 54);
    }

    // ------------------------------------------------------------------ under the lock

    /** Takes another one's shares and least number; the window stays. */
    void reconfigure(BreakerSettings fresh) {
        settings = fresh;
    }

    /**
     * Counts those of the batch that are no suspects yet.
     *
     * @return whether a scope opened that was not open before
     */
    boolean count(@Nullable MonitoredConnection first, long nowNanos) {
        turnTo(nowNanos);
        for (MonitoredConnection connection = first; connection != null; connection = connection.nextProposed) {
            if (isCounted(connection)) {
                long prefix = prefix(connection.remoteAddress());
                int subnet = subnet(prefix);
                prefixes[subnet] = prefix;
                all.died(slot, subnet);
                loop(connection).died(slot, subnet);
                listener(connection).died(slot, subnet);
            }
        }
        boolean opened = all.isStruck() && all.dead() >= settings.least() && openWhatStandsOut(nowNanos);
        if (opened) {
            expired = all.dead();
            connections = all.base();
        }
        for (MonitoredConnection connection = first; connection != null; connection = connection.nextProposed) {
            if (isCounted(connection)) {
                int subnet = subnet(prefix(connection.remoteAddress()));
                all.counted(subnet);
                loop(connection).counted(subnet);
                listener(connection).counted(subnet);
            }
        }
        return opened;
    }

    private static boolean isCounted(MonitoredConnection connection) {
        return !connection.checksOrNone().isSuspect();
    }

    private boolean openWhatStandsOut(long nowNanos) {
        long untilNanos = nowNanos + windowNanos;
        BitSet blamed = loudSubnets();
        boolean everywhere = isSpread(all, settings.share(), blamed);
        boolean opened = false;
        for (Collection<FailureGroupCounts> kind : List.of(listeners(), loops)) {
            List<FailureGroupCounts> loud = new ArrayList<>();
            for (FailureGroupCounts each : kind) {
                // a scope that is all there is, is nothing apart
                if (each.isStruck() && each.base() < all.base() && isSpread(each, settings.groupShare(), blamed)) {
                    loud.add(each);
                }
            }
            everywhere = everywhere && !isExplainedBy(loud, kind);
            for (FailureGroupCounts each : everywhere ? List.<FailureGroupCounts>of() : loud) {
                opened |= open(each, untilNanos);
            }
        }
        if (everywhere) {
            boolean openedAll = open(all, untilNanos);
            return opened || openedAll;
        }
        for (int subnet = blamed.nextSetBit(0); subnet >= 0; subnet = blamed.nextSetBit(subnet + 1)) {
            opened |= openSubnet(subnet, untilNanos);
        }
        return opened;
    }

    private BitSet loudSubnets() {
        BitSet loud = new BitSet(SUBNETS);
        for (int subnet = 0; subnet < SUBNETS; subnet++) {
            boolean isOne = all.isStruck(subnet) && isLoud(all.dead(subnet), all.base(subnet), settings.groupShare());
            loud.set(subnet, isOne);
        }
        return loud;
    }

    private boolean isLoud(int dead, int base, double share) {
        return dead >= settings.least() && dead > share * base;
    }

    /**
     * Whether too many died in a scope, and neither open subnets nor a few others explain it.
     *
     * @param blamed subnets that do; more may be added
     */
    private boolean isSpread(FailureGroupCounts scope, double share, BitSet blamed) {
        if (scope.dead() < settings.least()) {
            return false;
        }
        if (isLoud(scope.dead(), scope.base(), share)
                && isSharedWithoutHeaviest(scope, share)
                && areMostAffected(scope, share)) {
            return true;
        }
        BitSet taken = openSubnets();
        taken.or(blamed);
        int dead = scope.dead() - taken.stream().map(scope::dead).sum();
        int base = scope.base() - taken.stream().map(scope::base).sum();
        int heavy = Math.max(1, dead / HEAVY_PARTS);
        BitSet heaviest = new BitSet();
        while (isLoud(dead, base, share)) {
            int next = heaviest(scope, taken);
            if (next < 0 || scope.dead(next) < heavy) {
                return true;
            }
            taken.set(next);
            heaviest.set(next);
            dead -= scope.dead(next);
            base -= scope.base(next);
        }
        blamed.or(heaviest);
        return false;
    }

    /** One subnet of many dead must not make the rest look worse than it is: where a single death is more than the share, as in a subnet of few, it is affected. */
    private static boolean isSharedWithoutHeaviest(FailureGroupCounts scope, double share) {
        int heaviest = heaviest(scope, new BitSet());
        return scope.dead() - scope.dead(heaviest) > share * (scope.base() - scope.base(heaviest));
    }

    /** A subnet is affected when the share that matters died there, too: a loud subnet and a few deaths in each of the others are not everywhere. */
    private static boolean areMostAffected(FailureGroupCounts scope, double share) {
        int subnets = 0;
        int base = 0;
        int affectedSubnets = 0;
        int affectedBase = 0;
        for (int subnet = 0; subnet < SUBNETS; subnet++) {
            int here = scope.base(subnet);
            if (here > 0) {
                boolean affected = scope.dead(subnet) > share * here;
                subnets++;
                base += here;
                affectedSubnets += affected ? 1 : 0;
                affectedBase += affected ? here : 0;
            }
        }
        return affectedSubnets > 1 && 2 * affectedSubnets > subnets && 2L * affectedBase > base;
    }

    private static int heaviest(FailureGroupCounts scope, BitSet taken) {
        int heaviest = -1;
        for (int subnet = taken.nextClearBit(0); subnet < SUBNETS; subnet = taken.nextClearBit(subnet + 1)) {
            if (scope.dead(subnet) > 0 && (heaviest < 0 || scope.dead(subnet) > scope.dead(heaviest))) {
                heaviest = subnet;
            }
        }
        return heaviest;
    }

    /** Whether without these the rest would not trip, while others of their kind go on. */
    private boolean isExplainedBy(List<FailureGroupCounts> loud, Collection<FailureGroupCounts> kind) {
        int dead = all.dead();
        int base = all.base();
        for (FailureGroupCounts each : loud) {
            dead -= each.dead();
            base -= each.base();
        }
        long populated = kind.stream().filter(each -> each.base() > 0).count();
        return !loud.isEmpty() && loud.size() < populated && !isLoud(dead, base, settings.share());
    }

    private BitSet openSubnets() {
        BitSet open = new BitSet(SUBNETS);
        for (int subnet = 0; subnet < SUBNETS; subnet++) {
            open.set(subnet, subnetOpen.get(subnet) != 0);
        }
        return open;
    }

    private boolean open(FailureGroupCounts scope, long untilNanos) {
        boolean opened = scope.open(untilNanos);
        return opened && name(scope.name());
    }

    private boolean openSubnet(int subnet, long untilNanos) {
        boolean opened = subnetOpen.getAndSet(subnet, 1) == 0;
        subnetUntilNanos[subnet] = untilNanos;
        return opened && name(subnetName(prefixes[subnet]));
    }

    /** @return true */
    private boolean name(String scope) {
        if (names.size() < MAX_NAMES) {
            names.add(scope);
        }
        return true;
    }

    /**
     * Closes the scopes that have calmed down.
     *
     * @return whether none is open
     */
    boolean closeQuiet(long nowNanos) {
        turnTo(nowNanos);
        boolean quiet = all.closeBy(nowNanos);
        for (FailureGroupCounts loop : loops) {
            quiet &= loop.closeBy(nowNanos);
        }
        for (FailureGroupCounts listener : listeners()) {
            quiet &= listener.closeBy(nowNanos);
        }
        for (int subnet = 0; subnet < SUBNETS; subnet++) {
            if (subnetOpen.get(subnet) != 0) {
                boolean calm = nowNanos - subnetUntilNanos[subnet] >= 0;
                subnetOpen.set(subnet, calm ? 0 : 1);
                quiet &= calm;
            }
        }
        return quiet;
    }

    private void turnTo(long nowNanos) {
        for (int i = 0; i < FailureGroupCounts.SLOTS && nowNanos - slotBeginNanos >= slotNanos; i++) {
            slot = (slot + 1) % FailureGroupCounts.SLOTS;
            slotBeginNanos += slotNanos;
            all.forget(slot);
            loops.forEach(loop -> loop.forget(slot));
            listeners().forEach(listener -> listener.forget(slot));
        }
        if (nowNanos - slotBeginNanos >= slotNanos) {
            slotBeginNanos = nowNanos;
        }
    }

    /** Established now; of those found dead, who is held back. */
    int established() {
        return all.established();
    }

    /** Found dead within the window, when a scope opened last. */
    long expired() {
        return expired;
    }

    /** Of so many: established at that moment, or dead. */
    long connections() {
        return connections;
    }

    // ------------------------------------------------------------------ names, for people

    /** What stood out, in the order it did, each once. */
    List<String> names() {
        return List.copyOf(names);
    }

    void forgetNames() {
        names.clear();
    }

    static String subnetName(long prefix) {
        if ((prefix & V4) != 0) {
            return "subnet " + (prefix >>> 16 & 0xFF) + '.' + (prefix >>> 8 & 0xFF) + '.' + (prefix & 0xFF) + ".0/24";
        }
        if ((prefix & V6) == 0) {
            return "subnet unknown";
        }
        return "subnet " + Long.toHexString(prefix >>> 32 & 0xFFFF) + ':' + Long.toHexString(prefix >>> 16 & 0xFFFF)
                + ':' + Long.toHexString(prefix & 0xFFFF) + "::/48";
    }
}

package io.heartwheel.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * How many connections there are and how many died lately, for each group they can be told apart by: all, event loop, listener, subnet (/24 of IPv4,
 * /48 of IPv6). Subnets share {@value #SUBNETS} counters by a hash, so memory is bounded; two that share one are taken for one.
 *
 * <pre>
 *   counters:   | all | loop 0 .. | listener 0 .. 63 | subnet 0 .. 1023 |
 *   deaths:     ring of slots, a tenth of the window each; the sum of all slots is kept beside them
 * </pre>
 *
 * <p>{@link #entered}, {@link #left} and {@link #isOpenFor}: any thread. The rest under the breaker's lock.
 */
final class Scopes {
    static final int SUBNETS = 1_024;
    private static final int LISTENERS = 64;
    private static final int SLOTS = 10;
    private static final int MAX_NAMES = 16;
    /** A session's groups: all, loop, listener, subnet. */
    private static final int GROUPS = 4;

    private final int loops;
    private final AtomicIntegerArray established;
    private final AtomicIntegerArray open;

    private final int[][] deaths;
    private final int[] sums;
    private final int[] batch;
    private final @Nullable String[] subnetNames = new String[SUBNETS];
    private final List<String> names = new ArrayList<>();
    private final long slotNanos;
    private BreakerSettings settings;
    private long slotBeginNanos;
    private int slot;

    Scopes(BreakerSettings settings, int loops, long nowNanos) {
        this.settings = settings;
        this.loops = loops;
        int size = 1 + loops + LISTENERS + SUBNETS;
        established = new AtomicIntegerArray(size);
        open = new AtomicIntegerArray(size);
        deaths = new int[SLOTS][size];
        sums = new int[size];
        batch = new int[size];
        slotNanos = settings.window().toNanos() / SLOTS;
        slotBeginNanos = nowNanos;
    }

    // ------------------------------------------------------------------ any thread

    void entered(Session session) {
        for (int i = 0; i < GROUPS; i++) {
            established.incrementAndGet(group(session, i));
        }
    }

    void left(Session session) {
        for (int i = 0; i < GROUPS; i++) {
            established.decrementAndGet(group(session, i));
        }
    }

    boolean isOpenFor(Session session) {
        for (int i = 0; i < GROUPS; i++) {
            if (open.get(group(session, i)) != 0) {
                return true;
            }
        }
        return false;
    }

    private int group(Session session, int which) {
        Place place = session.scope().place();
        return switch (which) {
            case 0 -> 0;
            case 1 -> 1 + place.loop();
            case 2 -> 1 + loops + Math.min(place.listener(), LISTENERS - 1);
            default -> 1 + loops + LISTENERS + subnet(session.remoteAddress());
        };
    }

    private static int subnet(byte[] address) {
        int hash = address.length;
        for (int i = 0; i < prefixBytes(address); i++) {
            hash = (hash ^ address[i]) * 0x9E3779B1;
            hash ^= hash >>> 15;
        }
        return hash & (SUBNETS - 1);
    }

    private static int prefixBytes(byte[] address) {
        return address.length == 4 ? 3 : Math.min(6, address.length);
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
    boolean count(@Nullable Session first, long nowNanos) {
        turnTo(nowNanos);
        Arrays.fill(batch, 0);
        for (Session session = first; session != null; session = session.nextProposed) {
            if (!session.doubtOrNone().isSuspect()) {
                for (int i = 0; i < GROUPS; i++) {
                    batch[group(session, i)]++;
                }
                nameSubnet(session);
            }
        }
        for (int g = 0; g < batch.length; g++) {
            deaths[slot][g] += batch[g];
            sums[g] += batch[g];
        }
        return sums[0] >= settings.least() && openLoud(first);
    }

    private boolean openLoud(@Nullable Session sample) {
        boolean opened = false;
        for (int g = 0; g < sums.length; g++) {
            if (open.get(g) == 0 && batch[g] > 0 && isLoud(g, batch[g])) {
                open.set(g, 1);
                opened = true;
                if (names.size() < MAX_NAMES) {
                    names.add(name(g, sample));
                }
            }
        }
        return opened;
    }

    /** @param stillEstablished of those counted */
    private boolean isLoud(int group, int stillEstablished) {
        double share = group == 0 ? settings.share() : settings.groupShare();
        int base = Math.max(0, established.get(group) - stillEstablished) + sums[group];
        return sums[group] >= settings.least() && sums[group] > share * base;
    }

    /**
     * Closes the scopes that have calmed down.
     *
     * @return whether none is open
     */
    boolean closeQuiet(long nowNanos) {
        turnTo(nowNanos);
        boolean quiet = true;
        for (int g = 0; g < sums.length; g++) {
            if (open.get(g) != 0) {
                boolean loud = isLoud(g, 0);
                open.set(g, loud ? 1 : 0);
                quiet &= !loud;
            }
        }
        return quiet;
    }

    private void turnTo(long nowNanos) {
        for (int i = 0; i < SLOTS && nowNanos - slotBeginNanos >= slotNanos; i++) {
            slot = (slot + 1) % SLOTS;
            slotBeginNanos += slotNanos;
            for (int g = 0; g < sums.length; g++) {
                sums[g] -= deaths[slot][g];
                deaths[slot][g] = 0;
            }
        }
        if (nowNanos - slotBeginNanos >= slotNanos) {
            slotBeginNanos = nowNanos;
        }
    }

    long expired() {
        return sums[0];
    }

    long connections() {
        return established.get(0);
    }

    // ------------------------------------------------------------------ names, for people

    /** What stood out, in the order it did. */
    List<String> names() {
        return List.copyOf(names);
    }

    void forgetNames() {
        names.clear();
        Arrays.fill(subnetNames, null);
    }

    private void nameSubnet(Session session) {
        byte[] address = session.remoteAddress();
        int at = subnet(address);
        if (subnetNames[at] == null) {
            subnetNames[at] = subnetName(address);
        }
    }

    static String subnetName(byte[] address) {
        StringBuilder name = new StringBuilder("subnet ");
        if (address.length == 4) {
            for (int i = 0; i < 3; i++) {
                name.append(address[i] & 0xFF).append('.');
            }
            return name.append("0/24").toString();
        }
        for (int i = 0; i + 1 < prefixBytes(address); i += 2) {
            name.append(Integer.toHexString((address[i] & 0xFF) << 8 | (address[i + 1] & 0xFF)))
                    .append(':');
        }
        return name.append(":/48").toString();
    }

    private String name(int group, @Nullable Session sample) {
        if (group == 0) {
            return "all";
        }
        if (group <= loops) {
            return "loop " + (group - 1);
        }
        int listener = group - 1 - loops;
        if (listener < LISTENERS) {
            for (Session session = sample; session != null; session = session.nextProposed) {
                if (session.scope().place().listener() == listener) {
                    return "listener " + session.scope().place().listenerName();
                }
            }
            return "listener " + listener;
        }
        String subnet = subnetNames[listener - LISTENERS];
        return subnet == null ? "a subnet" : subnet;
    }
}

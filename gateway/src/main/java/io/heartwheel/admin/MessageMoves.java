package io.heartwheel.admin;

import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.KeptMessages;
import io.heartwheel.push.KeptMessages.Given;
import io.heartwheel.push.PushResult;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Messages kept here for devices that come to other gateways: each is given to the gateway that has its device.
 *
 * <pre>
 *   a message is kept, or a connection ends with some left  --&gt; watched: its row is listened to       looked at soon
 *   the row of a watched device is written                                                           --&gt; looked at soon
 *   each round, of 10 s or longer                           --&gt; watched, if there is room            --&gt; looked at
 *
 *   looked at: the row names another gateway --&gt; its API is asked to keep the first message (store=1), then the next one, until it refuses one or all are there
 * </pre>
 *
 * A HELLO costs nothing for this: its gateway writes the row anyway, and whoever keeps nothing for the device does not hear of it. What is not heard, because
 * it was lost or there are more devices than may be watched, the round finds.
 *
 * <p>A message has one Idempotency-Key for all times that it is offered, so that one whose answer was lost is not kept twice by the same gateway. If the device
 * has moved on since, the next gateway is asked, and the device may get it from both, under its one id.
 *
 * <p>Any thread; {@link #turn} one. Loops of devices take the monitor of this for some steps of a map; what listens to rows has a lock of its own, as the client
 * of NATS is called within it.
 */
public final class MessageMoves {
    private static final int MOST_WATCHED = 65_536;
    /** Devices that are looked at, or given to, at the same time. */
    private static final int MOST_AT_ONCE = 256;

    private static final int LOOKS_PER_SECOND = 1_000;
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The device is established soon after its row is written. */
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int TRIES = 4;

    /**
     * What is to be done for a device.
     *
     * @param at where it should be; null: its row says
     * @param triesLeft if it is not there yet
     */
    private record Look(String deviceId, @Nullable NodeId at, long atNanos, int triesLeft) {}

    private final AdminPorts ports;
    private final Fleet fleet;
    private final KeptMessages kept;
    private final int mostWatched;

    /** Changed under its own lock, together with what is listened to. */
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    // ---- guarded by this; in the order in which they come, a device once in each
    /** Devices that have just come: before all others. */
    private final Map<String, Look> heard = new LinkedHashMap<>();

    private final Map<String, Look> others = new LinkedHashMap<>();
    private final Set<String> underWay = new HashSet<>();

    // ---- whoever turns
    private Iterator<String> round;
    private long nextRoundNanos;
    private long lastNanos;
    private double credit;

    /** Begins, if this gateway belongs to a fleet and keeps messages. Once. */
    public static void begin(AdminPorts ports) {
        begin(ports, MOST_WATCHED);
    }

    /** @param mostWatched devices */
    static void begin(AdminPorts ports, int mostWatched) {
        Fleet fleet = ports.fleet();
        KeptMessages kept = ports.pushes().kept();
        if (fleet != null && kept != null) {
            new MessageMoves(ports, fleet, kept, mostWatched).listen();
        }
    }

    private MessageMoves(AdminPorts ports, Fleet fleet, KeptMessages kept, int mostWatched) {
        this.ports = ports;
        this.fleet = fleet;
        this.kept = kept;
        this.mostWatched = mostWatched;
        round = kept.devices();
        lastNanos = fleet.nowNanos();
        nextRoundNanos = lastNanos + ROUND_NANOS;
    }

    private void listen() {
        kept.onAway(deviceId -> lookSoon(deviceId, null, SOON_NANOS, TRIES));
        fleet.follow(this::turn, this::heard);
    }

    // ------------------------------------------------------------------ when

    private void heard(String deviceId, Row row) {
        if (row.isHeldElsewhere(fleet.node()) && kept.has(deviceId)) {
            lookSoon(deviceId, row.node(), SOON_NANOS, TRIES);
        }
    }

    private void watch(String deviceId) {
        synchronized (watched) {
            if (watched.size() < mostWatched && watched.add(deviceId)) {
                fleet.watch(deviceId, true);
            }
        }
    }

    private synchronized void lookSoon(String deviceId, @Nullable NodeId at, long inNanos, int tries) {
        Map<String, Look> all = at == null ? others : heard;
        if (all.size() < mostWatched || all.containsKey(deviceId)) {
            Look look = new Look(deviceId, at, fleet.nowNanos() + inNanos, tries);
            all.merge(deviceId, look, (first, last) -> new Look(deviceId, at, first.atNanos, tries));
        }
    }

    /**
     * Goes on. Not called while NATS is away: the next round begins at once after that.
     *
     * @param nowNanos monotonic
     */
    void turn(long nowNanos) {
        long passedNanos = nowNanos - lastNanos;
        lastNanos = nowNanos;
        credit = Math.min(LOOKS_PER_SECOND, credit + passedNanos * 1e-9 * LOOKS_PER_SECOND);
        boolean wasAway = passedNanos > TimeUnit.SECONDS.toNanos(1);
        if (wasAway || (!round.hasNext() && nowNanos - nextRoundNanos >= 0)) {
            watched.forEach(this::forgetIfNothing);
            round = kept.devices();
            nextRoundNanos = nowNanos + ROUND_NANOS;
        }
        for (Look next = nextDue(nowNanos); next != null; next = nextDue(nowNanos)) {
            begin(next);
        }
        for (; credit >= 1 && round.hasNext() && hasRoom(); credit--) {
            String deviceId = round.next();
            if (!Elsewhere.isHere(ports.registry(), deviceId)) {
                begin(new Look(deviceId, null, nowNanos, 1));
            }
        }
    }

    private synchronized boolean hasRoom() {
        return underWay.size() < MOST_AT_ONCE;
    }

    private synchronized @Nullable Look nextDue(long nowNanos) {
        Look next = nextDue(heard, nowNanos);
        return next == null ? nextDue(others, nowNanos) : next;
    }

    private @Nullable Look nextDue(Map<String, Look> all, long nowNanos) {
        Look first = hasRoom() && !all.isEmpty() ? all.values().iterator().next() : null;
        return first != null && nowNanos - first.atNanos >= 0 ? all.remove(first.deviceId) : null;
    }

    private void forgetIfNothing(String deviceId) {
        if (kept.has(deviceId)) {
            return;
        }
        synchronized (watched) {
            if (!kept.has(deviceId) && watched.remove(deviceId)) {
                fleet.watch(deviceId, false);
            }
        }
    }

    // ------------------------------------------------------------------ what

    private void begin(Look look) {
        String deviceId = look.deviceId();
        synchronized (this) {
            if (!underWay.add(deviceId)) {
                lookSoon(deviceId, look.at(), SOON_NANOS, look.triesLeft());
                return;
            }
        }
        if (Elsewhere.isHere(ports.registry(), deviceId) || !kept.has(deviceId)) {
            ended(look, false);
            return;
        }
        try {
            watch(deviceId); // before its row is read
        } catch (RuntimeException notConnected) {
            ended(look, false); // the next round tries it again
            return;
        }
        CompletionStage<Optional<NodeId>> holder = look.at() == null
                ? fleet.locate(deviceId, false).thenApply(this::holder)
                : CompletableFuture.completedFuture(Optional.of(look.at()));
        AtomicBoolean absent = new AtomicBoolean();
        holder.thenCompose(node -> node.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : give(deviceId, node.get(), 0, absent))
                .whenComplete((done, failure) -> ended(look, absent.get()));
    }

    private Optional<NodeId> holder(Row row) {
        return row.isHeldElsewhere(fleet.node()) ? Optional.ofNullable(row.node()) : Optional.empty();
    }

    /** @param absent whether the device was not there, and may be in a moment */
    private void ended(Look look, boolean absent) {
        synchronized (this) {
            underWay.remove(look.deviceId());
            if (absent && look.triesLeft() > 1) {
                lookSoon(look.deviceId(), null, AGAIN_NANOS, look.triesLeft() - 1);
            }
        }
        forgetIfNothing(look.deviceId());
    }

    /** @param absent set if the device is not there */
    private CompletionStage<Boolean> give(String deviceId, NodeId to, long after, AtomicBoolean absent) {
        KeptMessages.Taker taker = (push, number, expiresMillis) -> {
            Request request = FleetPushes.message(push);
            // numbers begin anew on a disk that was emptied
            String key = "moved/" + fleet.node().name() + "/" + number + "/" + expiresMillis + "/"
                    + Long.toUnsignedString(push.id());
            request.headers().set(Request.IDEMPOTENCY_KEY, key);
            return fleet.ask(to, request.carried(fleet.node(), push.id()), Elsewhere.PATIENCE_NANOS)
                    .thenApply(answer -> {
                        absent.set(answer.outcome() == ApiAnswer.Outcome.ABSENT);
                        return counted(given(answer));
                    });
        };
        return kept.give(deviceId, after, taker)
                .thenCompose(part -> part.more()
                        ? give(deviceId, to, part.upTo(), absent)
                        : CompletableFuture.completedFuture(true));
    }

    private Given counted(Given given) {
        fleet.count(
                switch (given) {
                    case TAKEN -> What.GIVEN_TAKEN;
                    case LEFT -> What.GIVEN_LEFT;
                    case REFUSED -> What.GIVEN_REFUSED;
                });
        return given;
    }

    /** What is wrong with this one message alone does not keep others waiting. */
    private static Given given(ApiAnswer answer) {
        return switch (answer.outcome() == ApiAnswer.Outcome.TOO_LARGE ? 413 : answer.status()) {
            case 202 -> Given.TAKEN;
            case 400, 413, 422 -> Given.LEFT;
            case 409 ->
                Response.tree(answer.body()).path("code").asText().equals(PushResult.Outcome.ID_IN_USE.label())
                        ? Given.LEFT
                        : Given.REFUSED;
            default -> Given.REFUSED;
        };
    }
}

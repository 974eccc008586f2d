package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Answer;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.BusMessage.Outcome;
import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.DeviceRegistry.Claimed;
import io.heartwheel.cluster.DeviceRegistry.Standing;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.event.CloseReason;
import io.heartwheel.session.Directory;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Directory of the device ids of a fleet, in front of the registry of this process.
 *
 * <p>A claim takes its place in the registry of this process first, so that whoever asks here finds the newest connection, and then the device's row. It is
 * granted when the row is written. Who held the id on another node is told by a kick, which may be lost: then the {@link Sweep} there finds it.
 *
 * <p>While the engine is not to be had a claim waits, for {@code patienceNanos} at most and {@value #MOST} of them at most; then, or at once if the engine
 * has been away for longer than that, {@link OnOutage} decides. A device whose connection before is on this node is admitted in any case: this node holds it.
 *
 * <p>A claim that would have to wait for the connection of another node ({@link SessionRegistry#claimElsewhere}) asks first whether that is still there.
 *
 * <p>A claim that ends without the id, for whatever reason, closes the connection of this process that it had replaced in the registry: nobody else would.
 *
 * <p>Any thread may call; what asks the engine is handed to {@code work}. Sessions are closed on their own loops. Shared fields are concurrent collections;
 * a claim is settled once ({@link Claim#settles}), whichever of answer and deadline comes first.
 */
public final class ClusterDirectory implements Directory<Session> {
    /** Claims under way, or releases, at the same time. */
    static final int MOST = 65_536;

    /** Whoever stood still for so long may have been taken for lost, or lost devices without having heard of it. */
    static final long STOOD_STILL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SessionRegistry local;
    private final DeviceRegistry rows;
    private final NodeBus bus;
    private final NodeId node;
    private final EngineWatch watch;
    private final OnOutage onOutage;
    private final long patienceNanos;
    private final Executor work;
    private final LongSupplier nanoClock;
    private final ClusterCounts counts;
    private final Predicate<NodeId> isAlive;
    private final BiConsumer<byte[], Row> untold;

    private final Map<String, Claim> latest = new ConcurrentHashMap<>();
    /** In the order in which they came, which is that of their deadlines; settled ones among them. */
    private final Queue<Claim> pending = new ConcurrentLinkedQueue<>();

    private final Queue<Claim> again = new ConcurrentLinkedQueue<>();
    private final AtomicInteger claims = new AtomicInteger();
    /** Claims and looks that the engine has not answered yet. */
    private final AtomicInteger asked = new AtomicInteger();

    private final AtomicInteger releases = new AtomicInteger();
    /** Whether a row may have been written of which this node does not know. Written by who turns, and by answers. */
    private volatile boolean inDoubt;

    private volatile boolean sure = true;
    /** Written by who turns. */
    private volatile boolean confirmed = true;
    /** Written by who turns. */
    private volatile long lastTurnNanos;

    /**
     * @param local of this process
     * @param node this one
     * @param patienceNanos how long a claim waits for the engine
     * @param work runs what asks the engine, in order; any thread
     * @param nanoClock monotonic nanoseconds
     * @param isAlive whether nothing speaks against it that a node that is not there still has its devices
     * @param untold hears of a connection that nobody may tell the end of: its row was written over for one that was never established, and its gateway is gone or does not answer
     */
    public ClusterDirectory(
            SessionRegistry local,
            Engine engine,
            NodeId node,
            EngineWatch watch,
            OnOutage onOutage,
            long patienceNanos,
            Executor work,
            LongSupplier nanoClock,
            ClusterCounts counts,
            Predicate<NodeId> isAlive,
            BiConsumer<byte[], Row> untold) {
        this.local = local;
        this.rows = new DeviceRegistry(engine.rows(), this::mayHold);
        this.bus = engine.bus();
        this.node = node;
        this.watch = watch;
        this.onOutage = onOutage;
        this.patienceNanos = patienceNanos;
        this.work = work;
        this.nanoClock = nanoClock;
        this.counts = counts;
        this.isAlive = isAlive;
        this.untold = untold;
        lastTurnNanos = nanoClock.getAsLong();
        local.servedBy(this::served);
    }

    // ------------------------------------------------------------------ claims

    @Override
    public void claim(Session session, long lastEpoch, Claimant<Session> claimant) {
        local.claim(session, lastEpoch, new Claimant<>() {
            @Override
            public void granted(long epoch, @Nullable Session predecessor) {
                long untilNanos = nanoClock.getAsLong() + patienceNanos;
                begin(new Claim(session, epoch, lastEpoch, predecessor, claimant, untilNanos));
            }

            @Override
            public void refused(CloseReason reason) {
                claimant.refused(reason);
            }

            @Override
            public void later(Wait wait, long epoch, Session holder) {
                claimant.later(wait, epoch, holder);
            }
        });
    }

    private Session served(Session holder) {
        Claim claim = latest.get(holder.deviceId());
        Session before = claim == null || claim.session != holder ? null : claim.served;
        return before != null && before.isEstablished() ? before : holder;
    }

    private void begin(Claim claim) {
        Claim earlier = latest.put(claim.session.deviceId(), claim);
        Session before = claim.predecessor;
        claim.served = earlier == null || (before != null && before.isEstablished()) ? before : earlier.served;
        boolean waits = claims.incrementAndGet() <= MOST && watch.downNanos(nanoClock.getAsLong()) < patienceNanos;
        if (!waits || !hand(() -> attempt(claim))) {
            withoutEngine(claim);
        } else {
            pending.add(claim);
        }
    }

    private boolean hand(Runnable task) {
        try {
            work.execute(task);
            return true;
        } catch (RejectedExecutionException ended) {
            return false;
        }
    }

    private void attempt(Claim claim) {
        if (claim.isSettled()) {
            return;
        }
        Session session = claim.session;
        asked.incrementAndGet();
        rows.claim(session.deviceIdBytes(), node, session.sessionId(), claim.epoch, row -> mayHave(claim, row))
                .whenComplete((claimed, failure) -> {
                    if (failure == null) {
                        watch.succeeded();
                        ended(claim, claimed);
                    } else {
                        failed(failure);
                        again.add(claim);
                    }
                    asked.decrementAndGet();
                });
    }

    private void failed(Throwable failure) {
        EngineException known = EngineException.of(failure);
        if (known.kind() == EngineException.Kind.UNREACHABLE) {
            watch.failed(known.getMessage());
        } else {
            watch.succeeded();
        }
        if (known.kind() != EngineException.Kind.NOT_YET) {
            inDoubt = true;
        }
    }

    /** Whether it is still there, and need not wait for a connection of another node. */
    private boolean mayHave(Claim claim, Row row) {
        if (!isHolder(claim.session)) {
            return false;
        }
        if (row.isHeldElsewhere(node) && !claim.takesOver && row.epoch() != claim.goneEpoch) {
            claim.wait = local.claimElsewhere(claim.session.deviceId(), row.epoch());
            claim.takesOver = claim.wait == null;
            return claim.takesOver;
        }
        return true;
    }

    private boolean isHolder(Session session) {
        return local.find(session.deviceId()) == session;
    }

    private void ended(Claim claim, Claimed claimed) {
        Wait wait = claim.wait;
        if (!claimed.isGranted()) {
            if (wait != null) {
                askHolder(claim, wait, claimed.before());
            } else if (claim.settles(true)) {
                refuse(claim, CloseReason.TAKEN_OVER, What.CLAIM_SUPERSEDED);
            }
            return;
        }
        if (claim.goneEpoch != 0 && claim.goneEpoch == claimed.before().epoch()) {
            local.isGoneElsewhere(
                    claim.session.deviceId()); // only now: another may have come there meanwhile, and was not gone
        }
        if (claim.settles(false)) {
            grant(claim, claimed.epoch(), What.CLAIM_GRANTED);
        } else {
            late(claim, claimed.epoch());
        }
        if (claimed.before().isHeldElsewhere(node)) {
            kick(claim.session, claimed.epoch(), claimed.before());
        }
    }

    /** Nobody waits for a connection that has ended and whose row is still held, because its release was lost or this node reads a copy that lags. */
    private void askHolder(Claim claim, Wait wait, Row row) {
        NodeId there = Objects.requireNonNull(row.node(), "held by somebody");
        long askedNanos = Math.min(NodeBus.PATIENCE_NANOS, patienceNanos / 4); // before the deadline of the claim
        where(there, claim.session.deviceIdBytes(), askedNanos).whenComplete((answer, failure) -> {
            boolean isGone = answer != null
                    ? answer.outcome() == Outcome.ABSENT
                    : EngineException.of(failure).kind() == EngineException.Kind.NO_NODE && !isAlive.test(there);
            if (isGone) {
                claim.goneEpoch = row.epoch();
                claim.wait = null;
                attempt(claim);
            } else if (claim.settles(true)) {
                later(claim, wait, row);
            }
        });
    }

    /** The row was written after nobody waited for it any more. Who was admitted without it goes on under the row's epoch: that of another may lie between. */
    private void late(Claim claim, long epoch) {
        if (claim.isRefused() || !isHolder(claim.session)) {
            releaseRow(claim.session);
        } else {
            tell(() -> claim.session.connectedAgain(epoch));
        }
    }

    /** Nobody knows who has the id. */
    private void withoutEngine(Claim claim) {
        Session predecessor = claim.predecessor;
        boolean admits = onOutage == OnOutage.LOCAL || (predecessor != null && predecessor.isEstablished());
        if (!claim.settles(!admits)) {
            return;
        }
        if (admits) {
            // the one before may have been told as connected again meanwhile
            long after = predecessor == null ? 0 : predecessor.epoch() + 1;
            grant(claim, Math.max(claim.epoch, after), What.CLAIM_LOCAL);
        } else {
            refuse(claim, CloseReason.AUTH_UNAVAILABLE, What.CLAIM_REFUSED);
        }
    }

    private void grant(Claim claim, long epoch, What counted) {
        counts.add(counted);
        tell(() -> claim.claimant.granted(epoch, claim.predecessor));
        try { // behind the grant: who finds no claim, finds the session let in
            claim.session.onLoop(() -> granted(claim));
        } catch (RejectedExecutionException ended) {
            forget(claim);
        }
    }

    private void granted(Claim claim) {
        forget(claim);
        BusMessage kick = claim.kick();
        if (kick != null) {
            obey(kick, claim.session);
        }
    }

    private void refuse(Claim claim, CloseReason reason, What counted) {
        end(claim, counted, () -> claim.claimant.refused(reason));
    }

    /** Its place here is free again meanwhile: whoever asks here is answered where the id is. */
    private void later(Claim claim, Wait wait, Row row) {
        local.release(claim.session);
        NodeId there = row.node();
        Elsewhere holder = new Elsewhere(there == null ? "" : there.name(), row.sessionId(), row.epoch());
        end(claim, What.CLAIM_CONFLICT, () -> claim.claimant.later(wait, claim.lastEpoch, holder));
    }

    private void end(Claim claim, What counted, Runnable answer) {
        counts.add(counted);
        forget(claim);
        Session predecessor = claim.predecessor;
        tell(() -> {
            if (predecessor != null) {
                predecessor.takenOverBy(claim.session);
            }
            answer.run();
        });
    }

    private static void tell(Runnable sessions) {
        try {
            sessions.run();
        } catch (RejectedExecutionException ended) {
            // a loop has ended, and its sessions with it
        }
    }

    private void forget(Claim claim) {
        latest.remove(claim.session.deviceId(), claim);
        claims.decrementAndGet();
    }

    /** Claims that wait for an answer of the engine, or for the engine. */
    public int pending() {
        return claims.get();
    }

    /**
     * Ends the claims that have waited long enough, and tries those again that failed. About ten times a second, one thread.
     *
     * @param nowNanos monotonic
     * @return whether this node has stood still, and is not sure of its devices any more
     */
    boolean turn(long nowNanos) {
        boolean stoodStill = nowNanos - lastTurnNanos >= STOOD_STILL_NANOS;
        if (stoodStill) {
            sure = false; // before the time of this turn
            confirmed = false;
            pending.forEach(claim -> claim.untilNanos = nowNanos + patienceNanos); // nobody was asked meanwhile
        }
        lastTurnNanos = nowNanos;
        for (Claim first = pending.peek();
                first != null && (first.isSettled() || nowNanos - first.untilNanos >= 0);
                first = pending.peek()) {
            pending.poll();
            withoutEngine(first);
        }
        int failed = watch.isDown() || !mayHold() ? 0 : again.size();
        for (int i = 0; i < failed; i++) {
            Claim claim = again.poll();
            if (claim != null) {
                attempt(claim);
            }
        }
        if (watch.isDown()) {
            again.removeIf(Claim::isSettled);
        }
        return stoodStill;
    }

    // ------------------------------------------------------------------ releases

    @Override
    public void release(Session session) {
        local.release(session);
        if (!isWrittenOver(session.deviceId())) {
            releaseRow(session);
        }
    }

    /** Whether a newer one here has the row. One that claims it still may leave without it. */
    private boolean isWrittenOver(String deviceId) {
        Session newer = local.find(deviceId);
        Claim claim = latest.get(deviceId);
        return newer != null && (newer.isEstablished() || (claim != null && claim.isGranted()));
    }

    private void releaseRow(Session session) {
        if (releases.incrementAndGet() > MOST || !hand(() -> releaseNow(session))) {
            releases.decrementAndGet();
            counts.add(What.RELEASE_DROPPED);
        }
    }

    private void releaseNow(Session session) {
        rows.release(session.deviceIdBytes(), node, session.sessionId()).whenComplete((released, failure) -> {
            releases.decrementAndGet();
            if (failure == null) {
                watch.succeeded();
                if (released) {
                    counts.add(What.RELEASE_DONE);
                }
            } else {
                failed(failure);
                counts.add(What.RELEASE_DROPPED);
            }
        });
    }

    /** Ids that are being given back. */
    int releasing() {
        return releases.get();
    }

    /** Whether no row is left that names this node, once its devices have gone. */
    boolean hasLeftNothing() {
        return local.size() == 0
                && claims.get() + asked.get() + releases.get() == 0
                && !inDoubt
                && counts.get(What.RELEASE_DROPPED) == 0;
    }

    @Override
    public void unanswered(Session holder) {
        local.unanswered(holder);
    }

    @Override
    public void regrouped(Session session, List<String> before, List<String> after) {
        local.regrouped(session, before, after);
    }

    // ------------------------------------------------------------------ other nodes

    /** Tells the node of this row that another connection has the id. */
    private void kick(Session winner, long epoch, Row loser) {
        NodeId there = loser.node();
        if (there == null) {
            return;
        }
        int waitMillis = (int) TimeUnit.NANOSECONDS.toMillis(local.conflictNanos(winner.deviceId()));
        BusMessage kick =
                new BusMessage(Command.KICK, epoch, winner.sessionId(), node, waitMillis, winner.deviceIdBytes());
        bus.request(there, kick.encode()).whenComplete((answer, failure) -> {
            if (failure == null) {
                counts.add(What.KICK_ANSWERED);
            } else {
                boolean gone = EngineException.of(failure).kind() == EngineException.Kind.NO_NODE;
                counts.add(gone ? What.KICK_NO_NODE : What.KICK_LOST);
                tell(() -> winner.onLoop(
                        () -> { // behind the grant
                            if (winner.epoch() == 0) {
                                untold.accept(winner.deviceIdBytes(), loser);
                            }
                        }));
            }
        });
    }

    /** Where the device is, as that node says; fails if it says nothing. */
    CompletionStage<Answer> where(NodeId there, byte[] deviceId, long askedNanos) {
        BusMessage where = new BusMessage(Command.WHERE, 0, 0, node, 0, deviceId);
        return bus.request(there, where.encode(), askedNanos).thenApply(Answer::decode);
    }

    /** Answers another node. */
    Answer answer(BusMessage message) {
        String deviceId = new String(message.deviceId(), StandardCharsets.UTF_8);
        Session session = local.find(deviceId);
        if (message.command() == Command.WHERE) {
            if (!isSure() || (session != null && !session.isEstablished())) {
                return Answer.UNKNOWN;
            }
            return session == null ? Answer.ABSENT : here(session);
        }
        Claim claim = latest.get(deviceId);
        if (claim != null) {
            claim.kicked(message);
        }
        if (session == null) {
            return Answer.ABSENT;
        }
        counts.add(What.KICK_RECEIVED);
        obey(message, session);
        return here(session);
    }

    private static Answer here(Session session) {
        return new Answer(Outcome.HERE, session.epoch(), session.sessionId());
    }

    private void obey(BusMessage kick, Session session) {
        if (session.epoch() < kick.epoch()) {
            local.takenElsewhere(session.deviceId(), kick.epoch(), TimeUnit.MILLISECONDS.toNanos(kick.waitMillis()));
        }
        session.takenOverElsewhere(kick.epoch() - 1, kick.from().name(), kick.sessionId());
    }

    // ------------------------------------------------------------------ own devices

    /**
     * Looks after one own device.
     *
     * @param firmly writes its row in any case
     * @param then told at the end, on any thread, whether it is known how it stands
     */
    void look(Session session, boolean firmly, Consumer<Boolean> then) {
        long epoch = session.epoch();
        byte[] id = session.deviceIdBytes();
        asked.incrementAndGet();
        rows.reassert(id, node, session.sessionId(), epoch, firmly).whenComplete((look, failure) -> {
            if (failure == null) {
                watch.succeeded();
                found(session, epoch, look);
            } else {
                failed(failure);
                counts.add(What.SWEEP_FAILED);
            }
            asked.decrementAndGet();
            then.accept(failure == null && look.standing() != Standing.CHANGED);
        });
    }

    private void found(Session session, long epoch, DeviceRegistry.Look look) {
        Row row = look.row();
        switch (look.standing()) {
            case KEPT -> counts.add(What.SWEEP_KEPT);
            case CHANGED -> counts.add(What.SWEEP_FAILED);
            case REASSERTED, RENEWED -> {
                boolean renewed = look.standing() == Standing.RENEWED;
                counts.add(renewed ? What.SWEEP_RENEWED : What.SWEEP_REASSERTED);
                if (row.isHeldElsewhere(node)) {
                    kick(session, epoch, row);
                }
                if (!isHolder(session)) {
                    releaseRow(session);
                } else if (renewed) {
                    session.connectedAgain(look.epoch());
                }
            }
            case TAKEN -> {
                counts.add(What.SWEEP_TAKEN);
                NodeId by = row.node();
                session.takenOverElsewhere(row.epoch(), by == null ? "" : by.name(), row.sessionId());
            }
        }
    }

    // ------------------------------------------------------------------ doubt

    /** Whether what this node knows of its own devices can be told: it has not stood still since it looked at their rows. Any thread. */
    boolean isSure() {
        return sure && isTurning();
    }

    private boolean isTurning() {
        return nanoClock.getAsLong() - lastTurnNanos < STOOD_STILL_NANOS;
    }

    /**
     * Whether rows may be written as held by this node. While others may be done with it as with one that is lost, nobody would look after them if it was killed.
     */
    private boolean mayHold() {
        return confirmed && isTurning();
    }

    /** Whether this node's own row was seen to say that it lives, since it could have been taken for lost. By who turns. */
    void confirmed(boolean now) {
        confirmed = now;
    }

    /** Whether it is known how the own devices stand. */
    void sure(boolean now) {
        sure = now;
    }

    /** How long a claim waits for the engine, nanoseconds, with deadlines for handshakes of this length; less than they have. */
    public static long patienceNanos(long handshakeNanos) {
        return Math.min(TimeUnit.SECONDS.toNanos(10), handshakeNanos / 2);
    }
}

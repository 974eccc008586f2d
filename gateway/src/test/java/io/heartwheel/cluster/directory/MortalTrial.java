package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiAnswer.Outcome;
import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventKind;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.event.NodeDown;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Nodes that die, end in order, stand still and come back, and devices that connect to any of them and leave, in virtual time. In the end, when all is quiet,
 * the events of all nodes, in any order, say of each device by (epoch, sequence) whether it is connected, and where; and each node that died was told once.
 *
 * <p>One thread.
 */
final class MortalTrial {
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final int NODES = 5;
    private static final int DEVICES = 80;

    /** What may happen to a node. */
    enum Fate {
        RUNS,
        DEAD,
        STILL
    }

    /** Place of a node, which is filled again under the same name. */
    private final class Slot {
        final int number;
        Fate fate = Fate.DEAD;
        long untilTurn;
        long stoppedTurn;
        /** When it last went on after it had stood still for 5 s or longer. */
        long resumedNanos = -1;

        NodeId id;
        Engine engine;
        SessionRegistry local;
        ClusterNode node;
        SessionContext context;

        Slot(int number) {
            this.number = number;
        }

        void start() {
            id = new NodeId("n" + number, ++incarnations);
            Engine joined = fault.apply(fleet.join(id));
            engine = answersEarly
                    ? new Engine(
                            joined.rows(),
                            joined.members(),
                            joined.schedules(),
                            new AnswersEarly(joined.bus(), this),
                            joined.membership(),
                            joined.health(),
                            joined::close)
                    : joined;
            long clockMicros = START_MICROS + (number - NODES / 2) * HOUR_MICROS;
            local = FakeSession.registry(
                    () -> lastLook += TimeUnit.MINUTES.toNanos(1), () -> clockMicros + fleet.now() / 1_000);
            node = MemoryGateway.node(fleet, id, engine, local, OnOutage.LOCAL, new Events(id), counts);
            node.fleet.serve(this::answer);
            context = FakeSession.claimingFrom(
                    node.directory,
                    FakeSession.publishingTo(
                            new Events(id), FakeSession.watchedBy(SessionObserver.NONE, gateway.sessionContext)));
            fate = Fate.RUNS;
        }

        /** Whether a device is here; judged when it is said, since whoever asked may stand still. */
        CompletionStage<ApiAnswer> answer(ApiCall call) {
            Session here = local.find(call.target());
            if (here == null || !here.isEstablished()) {
                return CompletableFuture.completedFuture(ApiAnswer.none(Outcome.ABSENT, ""));
            }
            judge(call.target(), this, here.epoch());
            return CompletableFuture.completedFuture(new ApiAnswer(Outcome.ANSWERED, 200, List.of(), new byte[0]));
        }

        void die() {
            fleet.kill(id);
            killed.add(id);
            if (fleet.row("node " + id.name() + "." + id.incarnation()).node() == null) {
                unknown.add(id);
            }
            rest(Fate.DEAD, 400);
        }

        /** @param most tenths of a second */
        private void rest(Fate next, int most) {
            fate = next;
            untilTurn = turns + 1 + random.nextInt(most);
        }

        void end() {
            sessions.forEach((session, slot) -> {
                if (slot == this) {
                    session.close(CloseReason.SHUTDOWN, "ends");
                }
            });
            if (random.nextBoolean()) { // else what it held is left behind
                fleet.pass(TimeUnit.SECONDS.toNanos(1));
            }
            if (fleet.await(node.own.leave(node.directory.hasLeftNothing()).exceptionally(unknown -> false))) {
                ended.add(id);
            }
            engine.close();
            rest(Fate.DEAD, 400);
        }

        void stop() {
            fleet.stop(id, true);
            rest(Fate.STILL, 300);
            stoppedTurn = turns;
            stoodStill.add(id);
        }

        void next() {
            if (fate == Fate.DEAD) {
                start();
            } else {
                fate = Fate.RUNS;
                if (turns - stoppedTurn > 50) {
                    longStills++;
                    resumedNanos = fleet.now();
                }
                fleet.stop(id, false);
            }
        }
    }

    /** Says who is here without looking whether that can be known. */
    private record AnswersEarly(NodeBus there, Slot slot) implements NodeBus {
        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            return there.request(to, message, patienceNanos);
        }

        @Override
        public void serve(Function<byte[], CompletionStage<byte[]>> answers) {
            there.serve(message -> ApiCall.isOne(message)
                    ? slot.answer(ApiCall.decode(message)).thenApply(ApiAnswer::encode)
                    : answers.apply(message));
        }

        @Override
        public long maxMessageBytes() {
            return there.maxMessageBytes();
        }
    }

    private final class Events implements EventSink {
        private final NodeId teller;

        Events(NodeId teller) {
            this.teller = teller;
        }

        @Override
        public void publish(Fact fact) {
            if (fact instanceof NodeDown down) {
                downs.computeIfAbsent(new NodeId(down.node(), down.nodeIncarnation()), id -> new ArrayList<>())
                        .add(teller);
                if (down.silentMillis() < 0) {
                    wrongAnswers.add(down + " by " + teller);
                }
            } else if (fact instanceof ConnectionEvent of) {
                events.add(of);
            }
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            reply.accepted();
        }

        @Override
        public void close() {}
    }

    private final MemoryFleet fleet;
    private final Random random;
    private final UnaryOperator<Engine> fault;
    private final boolean standsStill;
    private final boolean answersEarly;
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final List<Slot> slots = new ArrayList<>();
    private final Map<FakeSession, Slot> sessions = new LinkedHashMap<>();
    private final List<ConnectionEvent> events = new ArrayList<>();
    /** Sessions that had a row at some time: of one that was admitted without and was gone before, nobody else knows. */
    private final Set<Long> withRow = new HashSet<>();

    private final Map<NodeId, List<NodeId>> downs = new HashMap<>();
    private final List<NodeId> killed = new ArrayList<>();
    private final List<NodeId> ended = new ArrayList<>();
    private final Set<NodeId> stoodStill = new HashSet<>();
    /** Killed before anybody could know that they were there. */
    private final Set<NodeId> unknown = new HashSet<>();

    private long incarnations;
    private long sessionIds;
    private long turns;
    private long lastLook;
    private int longStills;
    private int answersHere;
    private final List<String> wrongAnswers = new ArrayList<>();
    /** When a session was first seen to be established. */
    private final Map<FakeSession, Long> establishedNanos = new HashMap<>();

    final ClusterCounts counts = new ClusterCounts();

    /** @param fault what is wrong with each engine */
    MortalTrial(MemoryFleet fleet, long seed, boolean standsStill, boolean answersEarly, UnaryOperator<Engine> fault) {
        this.fleet = fleet;
        fleet.deviceWritten = (device, row) -> withRow.add(row.sessionId());
        this.answersEarly = answersEarly;
        this.standsStill = standsStill;
        this.fault = fault;
        random = new Random(seed);
        for (int i = 0; i < NODES; i++) {
            Slot slot = new Slot(i);
            slots.add(slot);
            slot.start();
        }
    }

    private List<FakeSession> holders(Slot slot) {
        return sessions.entrySet().stream()
                .filter(each -> each.getValue() == slot && each.getKey().isEstablished())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** So many tenths of a second. */
    void run(int most) {
        for (int i = 0; i < most; i++) {
            step();
            turn();
        }
        slots.stream().filter(slot -> slot.fate != Fate.RUNS).forEach(Slot::next);
        for (int i = 0; i < 900; i++) {
            turn();
        }
    }

    private void turn() {
        turns++;
        fleet.pass(TURN_NANOS);
        for (int i = 0; i < 10; i++) {
            ask();
        }
        slots.stream().filter(slot -> slot.fate == Fate.RUNS).forEach(slot -> slot.node.turn());
        sessions.keySet().stream()
                .filter(FakeSession::isEstablished)
                .forEach(session -> establishedNanos.putIfAbsent(session, fleet.now()));
        sessions.keySet().removeIf(session -> !session.isEstablished() && session.epoch() != 0);
        if (turns % 100 == 0) {
            gateway.pass(Duration.ofMillis(20));
        }
    }

    /** Somebody asks somebody about a device. */
    private void ask() {
        Slot asks = slots.get(random.nextInt(NODES));
        Slot asked = slots.get(random.nextInt(NODES));
        String device = "device-" + random.nextInt(DEVICES);
        if (asks.fate != Fate.RUNS || asked.fate == Fate.DEAD || asks == asked) {
            return;
        }
        ApiCall call = new ApiCall(asks.id, 0, 0, "GET", device, List.of(), new byte[0]);
        asks.node.fleet.ask(asked.id, call, NodeBus.PATIENCE_NANOS);
    }

    /** Whoever stood still does not say that a device is here which another had taken over before it went on. */
    private void judge(String device, Slot asked, long epoch) {
        answersHere++;
        boolean wasTaken = sessions.entrySet().stream()
                .filter(each -> each.getValue() != asked && each.getKey().isEstablished())
                .filter(each ->
                        each.getKey().deviceId().equals(device) && each.getKey().epoch() > epoch)
                .anyMatch(each -> establishedNanos.getOrDefault(each.getKey(), Long.MAX_VALUE) < asked.resumedNanos);
        if (wasTaken) {
            wrongAnswers.add(asked.id + " says that it has " + device + " of " + epoch);
        }
    }

    private void step() {
        Slot slot = slots.get(random.nextInt(NODES));
        if (slot.fate == Fate.RUNS) {
            String device = "device-" + random.nextInt(DEVICES);
            FakeSession session = new FakeSession(slot.context).accept(++sessionIds);
            sessions.put(session, slot);
            session.hello(device, "");
            List<FakeSession> here = holders(slot);
            if (!here.isEmpty() && random.nextInt(3) == 0) {
                here.get(random.nextInt(here.size())).hangUp();
            }
            befall(slot);
        } else if (turns >= slot.untilTurn) {
            slot.next();
        }
    }

    private void befall(Slot slot) {
        switch (random.nextInt(150)) {
            case 0, 1 -> {
                slot.die();
                sessions.values().removeIf(each -> each == slot);
            }
            case 2 -> slot.end();
            case 3, 4 -> {
                if (standsStill) {
                    slot.stop();
                }
            }
            default -> {}
        }
    }

    /** What is wrong now that all is quiet. */
    List<String> violations() {
        List<String> wrong = new ArrayList<>(wrongAnswers);
        Collections.shuffle(events, random);
        for (int i = 0; i < DEVICES; i++) {
            judge("device-" + i, wrong);
        }
        for (NodeId node : killed) {
            List<NodeId> tellers = downs.getOrDefault(node, List.of());
            long whoLived = tellers.stream()
                    .filter(teller ->
                            !killed.contains(teller) && !ended.contains(teller) && !stoodStill.contains(teller))
                    .count();
            if ((tellers.isEmpty() && !unknown.contains(node)) || (whoLived > 1 && !stoodStill.contains(node))) {
                wrong.add(node + " told as lost by " + tellers);
            }
        }
        ended.stream()
                .filter(node -> downs.containsKey(node) && !stoodStill.contains(node))
                .forEach(node -> wrong.add(node + " ended in order, and told as lost"));
        return wrong;
    }

    private void judge(String device, List<String> wrong) {
        List<FakeSession> holders = sessions.keySet().stream()
                .filter(session -> session.isEstablished() && session.deviceId().equals(device))
                .toList();
        ConnectionEvent newest = events.stream()
                .filter(event -> event.identity().deviceId().equals(device)
                        && withRow.contains(event.identity().sessionId()))
                .reduce((a, b) -> isNewer(b, a) ? b : a)
                .orElse(null);
        boolean told =
                newest != null && newest.kind() != EventKind.DISCONNECTED && newest.kind() != EventKind.TAKEN_OVER;
        boolean right = holders.size() <= 1
                && told == !holders.isEmpty()
                && (!told || newest.identity().equals(holders.get(0).identity()));
        if (!right) {
            wrong.add(device + ": " + newest + ", and connected: "
                    + holders.stream().map(FakeSession::identity).toList() + ", row " + fleet.row(device));
        }
        if (fleet.row(device).held() == holders.isEmpty()) {
            wrong.add(device + ": wrong row " + fleet.row(device) + " of " + holders.size() + " holders");
        }
    }

    /** The one rule of events.md. */
    private static boolean isNewer(ConnectionEvent event, ConnectionEvent than) {
        int byEpoch =
                Long.compareUnsigned(event.identity().epoch(), than.identity().epoch());
        return byEpoch > 0 || (byEpoch == 0 && sequence(event) > sequence(than));
    }

    private static long sequence(ConnectionEvent event) {
        return event.sequence() == 0 ? Long.MAX_VALUE : event.sequence();
    }

    /** How it was, in a line. */
    String summary() {
        StringBuilder text = new StringBuilder(killed.size() + " killed, " + longStills + " stood still, " + answersHere
                + " answers, " + ended.size() + " ended, " + downs.size() + " told ");
        for (ClusterCounts.What what : ClusterCounts.What.values()) {
            text.append(what).append('=').append(counts.get(what)).append(' ');
        }
        return text.toString();
    }

    boolean hasSeenEverything() {
        boolean stood = longStills > 5 && counts.get(ClusterCounts.What.SWEEP_RENEWED) > 0 && answersHere > 100;
        return (stood || !standsStill)
                && killed.size() > 5
                && ended.size() > 2
                && counts.get(ClusterCounts.What.LOST_RELEASED) > 0;
    }
}

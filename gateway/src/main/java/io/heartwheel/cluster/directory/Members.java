package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members of the fleet, as this gateway hears them. Each tells once a second that it is there.
 *
 * <pre>
 *   silent for 5 s                                        asked directly, every 2 s; an answer is as good as a word
 *   nobody is there under its subject                     lost
 *   silent for 15 s, and it did not answer                lost
 *   a later start of the same name is heard               asked at once
 *   lost, and heard again                                 not lost
 * </pre>
 *
 * Silence counts only while this gateway could have heard: not while the engine is away or this gateway stands still; after that everybody has 10 s more, to
 * find its way back to the engine.
 *
 * <p>Any thread, but {@link #turn}: one. Guarded by this, for some microseconds.
 */
final class Members {
    private static final Logger LOG = LoggerFactory.getLogger(Members.class);

    static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Between two turns; they are a tenth of a second apart. */
    private static final long STOOD_STILL_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Whoever has said nothing for so long, or that it ends, is not shown as there. */
    private static final long SHOWN_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** Others beyond so many are not looked after. */
    private static final int MOST = 1_000;

    private static final class Member {
        final NodeId node;
        /** Its latest word. */
        NodeStatus word;

        boolean heard;
        /** While somebody could have heard. */
        long silentNanos;

        long untilAskedNanos;
        boolean unanswered;
        boolean gone;
        /** What it left is given back. */
        boolean over;

        Member(NodeId node) {
            this.node = node;
            word = new NodeStatus(node, 0);
        }

        void speaks() {
            silentNanos = 0;
            untilAskedNanos = 0;
            unanswered = false;
            gone = false;
            over = false;
        }

        boolean isThere() {
            return heard && !over && silentNanos < SHOWN_NANOS && word.admitPerSecond() != NodeStatus.ENDS;
        }

        boolean isLost() {
            return gone || (unanswered && silentNanos >= LOST_NANOS);
        }
    }

    private final NodeId self;
    private final Function<NodeId, CompletionStage<byte[]>> asking;
    private final Map<NodeId, Member> members = new HashMap<>();
    private final Set<NodeId> namesakes = new HashSet<>();
    /** Latest incarnation of each name that is there, in the last turn. */
    private final Map<String, Long> newest = new HashMap<>();

    private long lastNanos;
    private boolean interrupted = true;

    /** @param asking a node for a word, whatever it is; its answer comes on any thread */
    Members(NodeId self, Function<NodeId, CompletionStage<byte[]>> asking, long nowNanos) {
        this.self = self;
        this.asking = asking;
        lastNanos = nowNanos;
    }

    /** A gateway says that it is there. */
    synchronized void heard(NodeStatus status) {
        NodeId node = status.node();
        if (node.equals(self)) {
            return;
        }
        Member member = member(node);
        if (member != null) {
            member.heard = true;
            member.word = status;
            member.speaks();
        }
        if (node.name().equals(self.name()) && namesakes.size() < MOST && namesakes.add(node)) {
            LOG.warn(
                    "cluster: another gateway is called {} too, started {} this one; need a cluster.node of its own",
                    node.name(),
                    node.incarnation() < self.incarnation() ? "before" : "after");
        }
    }

    /** There is, or was, such a node, as its row says. */
    synchronized void learn(NodeId node) {
        if (!node.equals(self)) {
            member(node);
        }
    }

    /** Null if there are too many. */
    private @Nullable Member member(NodeId node) {
        Member known = members.get(node);
        if (known == null && members.size() >= MOST) {
            members.values().removeIf(member -> member.over);
        }
        if (known == null && members.size() < MOST) {
            known = new Member(node);
            members.put(node, known);
        }
        return known;
    }

    /** What it left is given back; if it speaks again it is a member again. */
    synchronized void isOver(NodeId node) {
        Member member = member(node);
        if (member != null) {
            member.over = true;
        }
    }

    /**
     * Time has passed.
     *
     * @param nowNanos monotonic
     * @param reachable whether the engine was there
     */
    synchronized void turn(long nowNanos, boolean reachable) {
        long passedNanos = nowNanos - lastNanos;
        lastNanos = nowNanos;
        if (!reachable || passedNanos > STOOD_STILL_NANOS) {
            interrupted = true;
            return;
        }
        newest.clear();
        newest.put(self.name(), self.incarnation());
        for (Member member : members.values()) {
            if (interrupted && !member.over && !member.isLost()) {
                member.speaks();
                member.silentNanos = ASK_NANOS - LOST_NANOS;
            }
            member.silentNanos += passedNanos;
            member.untilAskedNanos -= passedNanos;
            if (member.isThere()) {
                newest.merge(member.node.name(), member.node.incarnation(), Math::max);
            }
        }
        interrupted = false;
        for (Member member : List.copyOf(members.values())) {
            boolean silent = member.silentNanos >= ASK_NANOS;
            if ((silent || isSuperseded(member)) && !member.over && !member.isLost() && member.untilAskedNanos <= 0) {
                ask(member);
            }
        }
    }

    private boolean isSuperseded(Member member) {
        return newest.getOrDefault(member.node.name(), 0L) > member.node.incarnation();
    }

    private void ask(Member member) {
        member.untilAskedNanos = ASK_AGAIN_NANOS;
        asking.apply(member.node).whenComplete((word, failure) -> answered(member, failure));
    }

    private synchronized void answered(Member member, @Nullable Throwable failure) {
        if (failure == null) {
            long againNanos = member.untilAskedNanos; // a namesake that answers is not asked all the time
            member.speaks();
            member.untilAskedNanos = againNanos;
        } else if (EngineException.of(failure).kind() == EngineException.Kind.NO_NODE) {
            member.gone = member.silentNanos >= ASK_NANOS || isSuperseded(member);
        } else {
            member.unanswered = true;
        }
    }

    /** Those that are lost now. */
    synchronized List<Lost> lost() {
        return members.values().stream()
                .filter(member -> !member.over && member.isLost())
                .map(member -> new Lost(member.node, member.silentNanos))
                .toList();
    }

    /**
     * A node that is lost.
     *
     * @param silentNanos for how long it has not been heard of
     */
    record Lost(NodeId node, long silentNanos) {}

    /** Whether nothing speaks against its being alive; whoever is not known is looked after from now on. */
    synchronized boolean isAlive(NodeId node) {
        Member member = node.equals(self) ? null : member(node);
        return member == null || !(member.over || member.isLost());
    }

    /** Whether it is known, be it as one that is gone. */
    synchronized boolean knows(NodeId node) {
        return node.equals(self) || members.containsKey(node);
    }

    /** Whether it is lost, or its end is known. */
    synchronized boolean isGone(NodeId node) {
        Member member = members.get(node);
        return member != null && (member.over || member.isLost());
    }

    /** This node, and those that may have devices: until what they left is given back. */
    synchronized List<NodeStatus> holders(NodeStatus own) {
        return withSelf(own, member -> !member.over);
    }

    private List<NodeStatus> withSelf(NodeStatus own, Predicate<Member> wanted) {
        return Stream.concat(
                        Stream.of(own), members.values().stream().filter(wanted).map(member -> member.word))
                .sorted(Comparator.comparing(NodeStatus::node))
                .toList();
    }

    /** Those that are there, in order of name and incarnation. */
    synchronized List<NodeStatus> there(NodeStatus own) {
        return withSelf(own, Member::isThere);
    }
}

package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.conform.ConformReport.CaseResult;
import io.heartwheel.loadgen.conform.ConformReport.RuleResult;
import io.heartwheel.loadgen.judge.RunVerdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A run of rules against a client: several cases at once, the long ones first, each with a port and a client process of its own.
 * {@link #run} once, by one thread; {@link #close} any thread: it ends all clients.
 */
public final class Conformance implements AutoCloseable {

    private static final int MOST_PARALLEL = 64;
    private static final long FAREWELL_SECONDS = 2;

    private final World world;
    private final Carrier carrier;
    private final ExecutorService threads;
    private final Set<Trial> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * A run on this machine.
     *
     * @param parallel cases at once, 1..64
     */
    public Conformance(Loopback world, Carrier carrier, int parallel) {
        this.world = world;
        this.carrier = carrier;
        if (parallel < 1 || parallel > MOST_PARALLEL) {
            throw new IllegalArgumentException("parallel = " + parallel + ": need 1.." + MOST_PARALLEL);
        }
        this.threads = Executors.newFixedThreadPool(parallel, work -> Loopback.thread("conform", work));
    }

    private static List<Rule> all() {
        List<Rule> all = new ArrayList<>(LifeRules.all());
        all.addAll(MessageRules.all());
        all.addAll(ReturnRules.all());
        return all;
    }

    /** The names of all rules, in the order in which they are shown. */
    public static List<String> names() {
        return all().stream().map(Rule::name).toList();
    }

    /**
     * The rules that can be tried with this carrier.
     *
     * @param names of those that are wanted; none: all
     * @throws IllegalArgumentException for a name that is none, or of a rule about another carrier
     */
    public static List<Rule> rules(List<String> names, Carrier carrier) {
        List<Rule> can = all().stream()
                .map(rule -> rule.with(carrier))
                .filter(rule -> !rule.cases().isEmpty())
                .toList();
        List<String> known = can.stream().map(Rule::name).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("rule = " + name + ": need " + String.join(", ", known));
            }
        }
        return can.stream()
                .filter(rule -> names.isEmpty() || names.contains(rule.name()))
                .toList();
    }

    /** Tries all of them; the results are in their order. Takes as long as they do. */
    public List<RuleResult> run(List<Rule> rules) throws InterruptedException {
        Map<Rule.Case, Future<CaseResult>> pending = new HashMap<>();
        List<Rule> longestFirst = new ArrayList<>(rules);
        Collections.reverse(longestFirst);
        for (Rule rule : longestFirst) {
            rule.cases().forEach(part -> pending.put(part, threads.submit(() -> play(rule, part))));
        }
        List<RuleResult> results = new ArrayList<>();
        for (Rule rule : rules) {
            List<CaseResult> cases = new ArrayList<>();
            for (Rule.Case part : rule.cases()) {
                cases.add(result(Objects.requireNonNull(pending.get(part))));
            }
            results.add(RuleResult.of(rule, cases));
        }
        return results;
    }

    private static CaseResult result(Future<CaseResult> pending) throws InterruptedException {
        try {
            return pending.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a case failed: " + e.getCause(), e);
        }
    }

    private CaseResult play(Rule rule, Rule.Case part) {
        CaseResult ended = notPlayed(part, "the run was ended");
        CaseResult result = closed ? ended : play(world, carrier, rule, part, running);
        return closed ? ended : result;
    }

    private static CaseResult notPlayed(Rule.Case part, String why) {
        return new CaseResult(part.name(), RunVerdict.INCONCLUSIVE, why, false);
    }

    /**
     * Plays one case in this thread.
     *
     * @param running where it is noted meanwhile
     */
    static CaseResult play(World world, Carrier carrier, Rule rule, Rule.Case part, Set<Trial> running) {
        try (Trial trial = new Trial(world, carrier, rule.name())) {
            running.add(trial);
            RunVerdict verdict = RunVerdict.PASS;
            String seen;
            try {
                seen = part.script().play(trial);
                trial.facts().checkWire();
            } catch (CaseEnd end) {
                verdict = end.verdict;
                seen = end.seen();
            } finally {
                running.remove(trial);
            }
            return new CaseResult(part.name(), verdict, seen, trial.connected());
        } catch (IOException e) {
            return notPlayed(part, "it could not begin: " + e.getMessage());
        }
    }

    /** Ends what is still running, with its clients. */
    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
        running.forEach(Trial::close);
        try {
            threads.awaitTermination(FAREWELL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

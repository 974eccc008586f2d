package io.heartwheel.loadgen.swarm;

import io.heartwheel.loadgen.fleet.Part;
import io.heartwheel.loadgen.fleet.Player;
import io.heartwheel.loadgen.fleet.Reading;
import io.heartwheel.loadgen.swarm.Question.Ask;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * Many players that are asked as one: a question goes to all of them before the first answer is awaited, so an answer of
 * all takes as long as that of the slowest. A player that is lost is told once, by name and with its last words, in the
 * exception of the call that found it out; an ensemble that has lost one plays no further.
 *
 * <p>One thread, as for every {@link Player}.
 */
public final class Ensemble implements Player {

    private static final int MOST_TOLD = 5;
    private static final int CLOSING_AT_ONCE = 64;

    private final List<RemotePlayer> players;

    /** Takes players over; they are closed with it. At least one. */
    public Ensemble(List<RemotePlayer> players) {
        this.players = List.copyOf(players);
        if (players.isEmpty()) {
            throw new IllegalArgumentException("players = none: need at least one");
        }
    }

    /** How many there are. */
    public int size() {
        return players.size();
    }

    /** Processes on this machine among them, for reading their memory. */
    public List<Long> pids() {
        return players.stream()
                .map(RemotePlayer::pid)
                .filter(OptionalLong::isPresent)
                .map(OptionalLong::getAsLong)
                .toList();
    }

    @Override
    public void begin() {
        all(Question.of(Ask.BEGIN));
    }

    @Override
    public Reading look() {
        return Sums.ofReadings(all(Question.of(Ask.LOOK), Answer::reading));
    }

    @Override
    public void observe() {
        all(Question.of(Ask.OBSERVE));
    }

    @Override
    public void act(int step) {
        all(new Question(Ask.ACT, step, null));
    }

    @Override
    public Part finish() {
        return Sums.ofParts(all(Question.of(Ask.FINISH), Answer::part));
    }

    @Override
    public void dismiss() {
        all(Question.of(Ask.DISMISS));
    }

    @Override
    public long present() {
        return all(Question.of(Ask.PRESENT), Answer::present).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Closes all at the same time. Never throws; idempotent. */
    @Override
    public void close() {
        ExecutorService closing = Executors.newFixedThreadPool(Math.min(players.size(), CLOSING_AT_ONCE));
        CompletableFuture<?>[] ends = players.stream()
                .map(player -> CompletableFuture.runAsync(player::close, closing))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(ends).join();
        closing.shutdown();
    }

    private <T> List<T> all(Question question, Function<Answer, T> what) {
        return all(question).stream()
                .map(what)
                .map(value -> Objects.requireNonNull(value, "an answer lacks what was asked for"))
                .toList();
    }

    private List<Answer> all(Question question) {
        List<CompletableFuture<Answer>> pending = new ArrayList<>(players.size());
        for (RemotePlayer player : players) {
            pending.add(player.ask(question));
        }
        List<Answer> answers = new ArrayList<>(players.size());
        List<String> failures = new ArrayList<>();
        for (CompletableFuture<Answer> each : pending) {
            try {
                answers.add(each.join());
            } catch (CompletionException e) {
                failures.add(String.valueOf(
                        e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(told(failures));
        }
        return answers;
    }

    private String told(List<String> failures) {
        String first = String.join("\n", failures.subList(0, Math.min(MOST_TOLD, failures.size())));
        int more = failures.size() - MOST_TOLD;
        return more > 0 ? first + "\nand " + more + " more of " + players.size() : first;
    }
}

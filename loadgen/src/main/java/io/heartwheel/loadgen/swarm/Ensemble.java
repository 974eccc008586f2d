package io.heartwheel.loadgen.swarm;

import io.heartwheel.loadgen.fleet.Part;
import io.heartwheel.loadgen.fleet.Player;
import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.Reading;
import io.heartwheel.loadgen.swarm.Question.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Many players that are asked as one: a question goes to all of them before the first answer is awaited, so an answer of
 * all takes as long as that of the slowest. A player that fails or does not answer is given up: it is asked no more, the
 * others play on without it, and each later {@link Reading} and {@link Part} names it, with its last words.
 *
 * <p>One thread, as for every {@link Player}; {@link #hurry} may come from any.
 */
public final class Ensemble implements Player {

    private static final int MOST_TOLD = 5;
    private static final int MOST_WORDS = 600;
    private static final int CLOSING_AT_ONCE = 64;

    private final List<RemotePlayer> players;
    private final List<RemotePlayer> playing;
    private final List<String> lost = new ArrayList<>();
    private long lostDevices;

    /** Takes players over; they are closed with it. At least one. */
    public Ensemble(List<RemotePlayer> players) {
        this.players = List.copyOf(players);
        this.playing = new ArrayList<>(players);
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

    /** From now on all have less time: so much for what they were asked, and so much for each further question. Any thread. */
    public void hurry(Duration asked, Duration further) {
        players.forEach(player -> player.hurry(asked, further));
    }

    @Override
    public void begin() {
        all(Question.of(Ask.BEGIN));
    }

    @Override
    public Reading look() {
        List<Reading> readings = all(Question.of(Ask.LOOK), Answer::reading);
        Reading sum = Sums.ofReadings(readings);
        return new Reading(sum.elapsedNanos(), sum.ledger(), sum.usage(), told(sum.lost()));
    }

    @Override
    public void observe() {
        all(Question.of(Ask.OBSERVE));
    }

    @Override
    public void act(int step) {
        all(Question.of(step));
    }

    @Override
    public void pushed(PushReport report) {
        all(Question.of(report));
    }

    @Override
    public Part finish() {
        Part sum = Sums.ofParts(all(Question.of(Ask.FINISH), Answer::part));
        return sum.lacking(told(List.of()));
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

    private void all(Question question) {
        all(question, answer -> answer);
    }

    private <T> List<T> all(Question question, Function<Answer, @Nullable T> what) {
        Map<RemotePlayer, CompletableFuture<Answer>> pending = new LinkedHashMap<>();
        for (RemotePlayer player : playing) {
            pending.put(player, player.ask(question));
        }
        List<T> values = new ArrayList<>(pending.size());
        pending.forEach((player, answer) -> {
            try {
                T value = what.apply(answer.join());
                if (value == null) {
                    giveUp(player, player.name() + ": its answer lacks what was asked for");
                } else {
                    values.add(value);
                }
            } catch (CompletionException e) {
                giveUp(player, String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage()));
            }
        });
        return values;
    }

    private void giveUp(RemotePlayer player, String why) {
        playing.remove(player);
        lostDevices += player.devices();
        lost.add(why.length() > MOST_WORDS ? why.substring(0, MOST_WORDS) + " ..." : why);
    }

    /** What was lost, by those here and by the players themselves. */
    private List<String> told(List<String> others) {
        List<String> all = new ArrayList<>(lost.subList(0, Math.min(MOST_TOLD, lost.size())));
        if (lost.size() > MOST_TOLD) {
            all.add("and " + (lost.size() - MOST_TOLD) + " more of " + players.size());
        }
        if (!lost.isEmpty()) {
            all.add(String.format(
                    Locale.ROOT, "%,d devices were given up with them; all below is what the others saw", lostDevices));
        }
        all.addAll(others);
        return all;
    }
}

package io.heartwheel.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Ends of connections that the devices cannot see, as the gateway's sink {@code console} reports them. Times are on the monotonic clock, to a
 * millisecond or two.
 */
final class Departures {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long offsetNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis())
            + TimeUnit.MILLISECONDS.toNanos(1)
            - System.nanoTime();
    private final Map<String, Departure> byDevice = new HashMap<>();
    private JsonNode lastIncident;

    /**
     * One end.
     *
     * @param atNanos monotonic
     */
    record Departure(String reason, long atNanos, double latenessMillis) {}

    private Departures() {}

    /** All up to now. */
    static Departures of(GatewayProcess gateway) throws IOException {
        Departures all = new Departures();
        for (String line : gateway.out().split("\n", -1)) {
            // the last line may be half written
            if (line.startsWith("{\"event\":\"disconnected\"") && line.endsWith("}")) {
                all.add(JSON.readTree(line));
            } else if (line.startsWith("{\"event\":\"incident\"") && line.endsWith("}")) {
                all.lastIncident = JSON.readTree(line);
            }
        }
        return all;
    }

    private void add(JsonNode event) {
        // the event's time is cut to the millisecond
        Instant at = Instant.parse(event.get("at").asText());
        long wallNanos = TimeUnit.MILLISECONDS.toNanos(at.toEpochMilli() + 1);
        byDevice.put(
                event.get("device").asText(),
                new Departure(
                        event.get("reason").asText(),
                        wallNanos - offsetNanos,
                        event.get("timing").path("lateness_ms").asDouble()));
    }

    /**
     * Until the incident is over.
     *
     * @return its counts
     */
    static JsonNode awaitEndOfIncident(GatewayProcess gateway) throws Exception {
        Await.until("an end of the incident", () -> {
            JsonNode incident = of(gateway).lastIncident;
            return incident != null && incident.get("state").asText().equals("ended");
        });
        return of(gateway).lastIncident;
    }

    /** How many there are. */
    int size() {
        return byDevice.size();
    }

    /** Of this device; null if it is there still. */
    Departure of(String device) {
        return byDevice.get(device);
    }

    /** The most in any second. */
    int mostInASecond() {
        long[] times = times();
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.length; last++) {
            while (times[last] - times[first] >= SECOND) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    private long[] times() {
        return byDevice.values().stream().mapToLong(Departure::atNanos).sorted().toArray();
    }

    /** From the first to the last, seconds. */
    double spanSeconds() {
        long[] times = times();
        return times.length == 0 ? 0 : (times[times.length - 1] - times[0]) / 1e9;
    }

    /** The greatest lateness the gateway tells of, milliseconds. */
    double latestMillis() {
        return byDevice.values().stream()
                .mapToDouble(Departure::latenessMillis)
                .max()
                .orElse(0);
    }

    @Override
    public String toString() {
        return byDevice.size() + " in " + spanSeconds() + " s, at most " + mostInASecond() + " a second, the latest "
                + latestMillis() + " ms late";
    }
}

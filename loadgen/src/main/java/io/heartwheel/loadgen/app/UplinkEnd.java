package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Service;
import io.heartwheel.loadgen.scenario.Uplink;
import io.heartwheel.loadgen.uplink.EventIntake;
import io.heartwheel.loadgen.uplink.EventReceiver;
import io.heartwheel.loadgen.uplink.KafkaReceiver;
import io.heartwheel.loadgen.uplink.WebhookReceiver;
import io.heartwheel.loadgen.workers.ProcessPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Far end of a run's uplink: the receiver of the gateway's events, and a directory for the journals and the secret of gateways
 * that the run starts. The directory lasts as long as the run, so a gateway that is killed finds its journal again. One
 * thread.
 */
record UplinkEnd(Uplink uplink, EventIntake intake, EventReceiver receiver, @Nullable Path directory)
        implements AutoCloseable {

    private static final String OUTLET = "  outlets.loadgen.";

    /**
     * Begins to receive; null for a scenario without an uplink.
     *
     * @throws IOException when the receiver cannot listen, or there is no room for the directory
     */
    static @Nullable UplinkEnd begin(Scenario scenario) throws IOException {
        Uplink uplink = scenario.uplink();
        if (uplink == null) {
            return null;
        }
        EventIntake intake = new EventIntake(uplink, System::nanoTime);
        EventReceiver receiver = receiver(scenario, uplink, intake);
        boolean journal = scenario.gateways().start() && uplink.journalSettings();
        UplinkEnd end = new UplinkEnd(
                uplink, intake, receiver, journal ? Files.createTempDirectory("heartwheel-journal-") : null);
        try {
            receiver.begin();
            end.writeSecret(WorkerPlan.gateways(scenario));
        } catch (IOException e) {
            end.close();
            throw e;
        }
        return end;
    }

    private static EventReceiver receiver(Scenario scenario, Uplink uplink, EventIntake intake) {
        return switch (uplink.kind()) {
            case WEBHOOK ->
                new WebhookReceiver(
                        scenario,
                        intake,
                        System::nanoTime,
                        () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
            case KAFKA -> new KafkaReceiver(scenario, intake);
        };
    }

    private void writeSecret(int gateways) throws IOException {
        if (directory != null) {
            Files.writeString(secretFile(directory), uplink.secret());
            for (int i = 0; i < gateways; i++) {
                Files.createDirectories(journal(directory, Integer.toString(i)));
            }
        }
    }

    private static Path secretFile(Path directory) {
        return directory.resolve("secret");
    }

    private static Path journal(Path directory, String number) {
        return directory.resolve("journal-" + number);
    }

    /** Settings of a gateway that journals and delivers to this receiver; none if the scenario has its own. */
    List<String> settings() {
        if (directory == null) {
            return List.of();
        }
        List<String> outlet =
                switch (uplink.kind()) {
                    case WEBHOOK ->
                        List.of(
                                OUTLET + "url = \"" + receiver.url() + "\"",
                                OUTLET + "secret-file = \"" + secretFile(directory) + "\"");
                    case KAFKA ->
                        List.of(
                                OUTLET + "kafka.bootstrap = \"" + uplink.bootstrap() + "\"",
                                OUTLET + "kafka.topic = \"" + uplink.topic() + "\"");
                };
        List<String> all = new ArrayList<>(List.of(
                "  sink.kind = journal",
                "  journal.directory = \"" + journal(directory, Service.NUMBER) + "\"",
                OUTLET + "kind = " + uplink.kind().label()));
        all.addAll(outlet);
        return all;
    }

    /** Ends the receiver and removes the directory. Idempotent. */
    @Override
    public void close() {
        receiver.close();
        if (directory != null) {
            ProcessPool.remove(directory);
        }
    }
}

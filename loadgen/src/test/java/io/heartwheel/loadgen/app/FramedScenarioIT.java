package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fake.FramedFault;
import io.heartwheel.loadgen.fake.FramedServer;
import io.heartwheel.loadgen.fake.FramedWire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code framed-jt808} of the real jar, smaller and shorter than it is, against a server that speaks JT/T 808 in this
 * process: an honest one passes, one that forgets its silent terminals does not.
 */
@Timeout(120)
final class FramedScenarioIT {

    @TempDir
    private Path directory;

    private ScenarioRun against(FramedFault fault) throws Exception {
        try (FramedServer server = new FramedServer(FramedWire.Jt808::new, fault, 0, 2_000, null)) {
            return ScenarioRun.there(directory, "framed-jt808", text -> text.replace(":7611", ":" + server.port())
                    .replace("interval = 3s", "interval = 1s")
                    .replace("clients = 200", "clients = 40")
                    .replace("duration = 40s", "duration = 18s"));
        }
    }

    @Test
    void framedJt808_honestServer_passes() throws Exception {
        ScenarioRun run = against(FramedFault.NONE).passed();
        run.exactly(run.count("condemned"), "detected");
        assertTrue(run.count("condemned") >= 6, run::output);
        assertTrue(run.count("data_accepted") > 20, run::output);
        run.same("takeovers", "takeovers_right");
    }

    @Test
    void framedJt808_serverThatForgetsItsSilentTerminals_fails() throws Exception {
        ScenarioRun run = against(FramedFault.NEVER_KILLS);
        // without a processor it cannot tell who is late, and says so
        for (int more = 2; more > 0 && run.result().at("/health/saturated").asBoolean(); more--) {
            run = against(FramedFault.NEVER_KILLS);
        }
        assertEquals("FAIL", run.result().path("verdict").asText(), run.output());
        run.exactly(4, "missed_kills");
    }
}

package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.log.LogFormat;
import io.heartwheel.log.LogLevel;
import io.heartwheel.log.LogSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log's levels: beside the listeners, the one block whose keys the operator makes. */
class LogKeysTest {
    @TempDir
    Path directory;

    private GatewaySettings load(String log, Map<String, String> properties) throws Exception {
        Path file = Loading.file(directory, "heartwheel {\n log {\n" + log + "\n}\n}");
        return Loading.load(file, properties, Map.of("CONFIG_FORCE_heartwheel_log_levels_from_env", "error"));
    }

    @Test
    void levels_quotedAndPlainAndOverridden_areAllRead() throws Exception {
        LogSettings log = load(
                        "format = json, level = warn, levels { \"io.heartwheel.closes\" = debug, io.netty = off, a.B.c = info }",
                        Map.of("heartwheel.log.levels.a.B.c", "trace"))
                .log();

        assertEquals(LogFormat.JSON, log.format());
        assertEquals(LogLevel.WARN, log.level());
        assertEquals(
                Map.of(
                        "io.heartwheel.closes", LogLevel.DEBUG,
                        "io.netty", LogLevel.OFF,
                        "a.B.c", LogLevel.TRACE,
                        "from.env", LogLevel.ERROR),
                log.levels());
    }

    @Test
    void mistakes_inLevels_areAllTold() {
        List<String> problems = Loading.problems(() ->
                load("levels {\n a.b = loud\n \"c d\" = info\n e = [info]\n root = warn\n}\nformat = xml", Map.of()));

        assertEquals(
                List.of(
                        "heartwheel.log.levels.a.b = loud: need trace, debug, info, warn, error or off (gateway.conf:4)",
                        "heartwheel.log.levels.c d = info: need the name of a class or a package before it, for all of them log.level (gateway.conf:5)",
                        "heartwheel.log.levels.e = [\"info\"]: need trace, debug, info, warn, error or off (gateway.conf:6)",
                        "heartwheel.log.levels.root = warn: need the name of a class or a package before it, for all of them log.level (gateway.conf:7)",
                        "heartwheel.log.format = xml: need text or json (gateway.conf:9)"),
                problems);
    }

    @Test
    void levels_noBlock_isTold() {
        List<String> problems = Loading.problems(() -> load("levels = debug", Map.of()));
        assertEquals(List.of("heartwheel.log.levels = debug: need a block { ... } (gateway.conf:3)"), problems);
    }
}

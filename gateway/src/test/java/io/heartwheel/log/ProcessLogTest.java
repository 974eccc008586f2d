package io.heartwheel.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

class ProcessLogTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private LoggerContext context;
    private ProcessLog log;

    @BeforeEach
    @SuppressWarnings("unchecked")
    void configure() throws Exception {
        context = LogRig.configured(ProcessLog.class.getResource("/logback.xml"));
        log = new ProcessLog(context, Optional.empty());
        BoundedAppender bounded =
                (BoundedAppender) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("bounded");
        ((OutputStreamAppender<ILoggingEvent>) bounded.getAppender("stderr")).setOutputStream(written);
    }

    private static LogSettings levels(LogLevel level, Map<String, LogLevel> levels) {
        return new LogSettings(LogFormat.TEXT, level, levels, 20);
    }

    private boolean logs(String logger, Level level) {
        return context.getLogger(logger).isEnabledFor(level);
    }

    @Test
    void apply_levels_changesThoseOfARunningProcess() {
        assertTrue(log.apply(levels(LogLevel.WARN, Map.of("io.heartwheel.protocol", LogLevel.DEBUG))));

        assertFalse(logs("io.heartwheel.app.Gateway", Level.INFO));
        assertTrue(logs("io.heartwheel.protocol.frame.Frames", Level.DEBUG));
        assertFalse(logs("io.netty.channel.X", Level.INFO));
        assertTrue(logs("audit", Level.INFO), "who did what is told whatever the level");
    }

    @Test
    void apply_again_restoresWhatIsNoLongerNamed() {
        log.apply(levels(LogLevel.DEBUG, Map.of("io.netty", LogLevel.TRACE, "io.heartwheel.session", LogLevel.OFF)));
        assertTrue(logs("io.netty.channel.X", Level.TRACE));
        log.apply(levels(LogLevel.INFO, Map.of("io.heartwheel.wheel", LogLevel.ERROR)));

        assertEquals(Level.WARN, context.getLogger("io.netty").getLevel());
        assertNull(context.getLogger("io.heartwheel.session").getLevel());
        assertTrue(logs("io.heartwheel.session.Session", Level.INFO));
        assertFalse(logs("io.heartwheel.session.Session", Level.DEBUG));
        assertFalse(logs("io.heartwheel.wheel.Ring", Level.WARN));
    }

    @Test
    void apply_json_takesEffectWithTheNextLine() throws Exception {
        Logger logger = context.getLogger("a.B");
        logger.info("first");
        log.apply(new LogSettings(LogFormat.JSON, LogLevel.INFO, Map.of(), 20));
        logger.info("second");
        log.apply(LogSettings.DEFAULTS);
        logger.info("third");

        List<String> lines = written.toString(StandardCharsets.UTF_8).lines().toList();
        assertTrue(lines.get(0).endsWith(" INFO  B first"), lines::toString);
        assertEquals(
                "second",
                new ObjectMapper().readTree(lines.get(1)).get("message").asText());
        assertTrue(lines.get(2).endsWith(" INFO  B third"), lines::toString);
    }

    @Test
    void apply_repeats_boundsAStorm() {
        log.apply(new LogSettings(LogFormat.TEXT, LogLevel.INFO, Map.of(), 2));
        IntStream.range(0, 50).forEach(i -> context.getLogger("a.B").warn("x {}", i));
        // two a second, and one that says how many were left out: a slow machine may take a few seconds for it
        long lines = written.toString(StandardCharsets.UTF_8).lines().count();
        assertTrue(lines >= 2 && lines < 50, () -> lines + " lines");
    }

    @Test
    void apply_ownFileOfTheOperator_setsNothing() {
        ProcessLog ruled = new ProcessLog(context, Optional.of("mine.xml"));
        assertFalse(ruled.apply(levels(LogLevel.OFF, Map.of())));
        assertTrue(logs("a.B", Level.INFO));
        assertEquals(Optional.of("mine.xml"), ruled.ownFile());
    }

    @Test
    void exampleForOperators_isGoodAndBounded(@TempDir Path directory) throws Exception {
        System.setProperty("log.file", directory.resolve("gateway.log").toString());
        System.setProperty("log.format", "JSON");
        try {
            LoggerContext example = LogRig.configured(
                    Path.of("..", "conf", "logback.xml").toUri().toURL());
            IntStream.range(0, 50).forEach(i -> example.getLogger("a.B").info("line\n{}", i));
            example.stop();
            List<String> lines = java.nio.file.Files.readAllLines(directory.resolve("gateway.log"));
            assertTrue(lines.size() >= 20 && lines.size() < 50, lines::toString);
            assertEquals(
                    "line\n0",
                    new ObjectMapper().readTree(lines.get(0)).get("message").asText());
        } finally {
            System.clearProperty("log.file");
            System.clearProperty("log.format");
        }
    }

    @Test
    void logger_namesOfPackagesAndClasses_areTakenOthersNot() {
        for (String name : List.of("a", "io.heartwheel", "A$b.c-d", "x".repeat(200))) {
            assertTrue(LogSettings.isLogger(name), name);
        }
        for (String name : List.of("", "a b", "a..b", ".a", "ROOT", "root", "x".repeat(201))) {
            assertFalse(LogSettings.isLogger(name), name);
        }
    }
}

package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two services, each complete in its own file: an operator who copies one of them has all of it. */
class UnitsTest {
    private static final Path SYSTEMD = Path.of("..", "systemd");
    private static final Pattern COMMON = Pattern.compile("(?s)# ==== as in both units =+\n(.*)\n\\[Install]");

    @Test
    void services_fromTheMarkOn_areTheSame() throws Exception {
        String one = common("heartwheel.service");
        String many = common("heartwheel@.service");

        assertTrue(one.contains("ProtectSystem=strict"), one);
        assertEquals(one, many);
    }

    private static String common(String unit) throws Exception {
        Matcher part = COMMON.matcher(Files.readString(SYSTEMD.resolve(unit)));
        assertTrue(part.find(), () -> unit + ": no mark");
        return part.group(1);
    }

    /** A second SIGTERM, or one during the start, is an end that somebody asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"heartwheel.service", "heartwheel@.service"})
    void service_endedInAHurry_isNotStartedAgain(String unit) throws Exception {
        List<String> lines = Files.readAllLines(SYSTEMD.resolve(unit));

        assertTrue(lines.contains("Restart=on-failure"));
        assertTrue(lines.contains("SuccessExitStatus=130 143"));
        assertTrue(lines.contains("RestartPreventExitStatus=78"));
        assertTrue(lines.contains("SyslogLevelPrefix=yes"));
    }
}

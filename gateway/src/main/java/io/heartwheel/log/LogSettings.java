package io.heartwheel.log;

import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * Settings of the log: its form, its levels, its bounds. Immutable; any thread.
 *
 * @param format the form of a line
 * @param level from which level on is logged
 * @param levels other levels, by the name of a logger: a class or a package, with all below it
 * @param repeatLimiter lines of one kind (a message before its values are put in) a second; DEBUG, TRACE and lines with {@link #EACH} are not bounded
 */
public record LogSettings(LogFormat format, LogLevel level, Map<String, LogLevel> levels, int repeatLimiter) {
    /** Text from INFO on. */
    public static final LogSettings DEFAULTS = new LogSettings(LogFormat.TEXT, LogLevel.INFO, Map.of(), 20);

    /** Marker of lines that are written however many there are: what an operator has done. */
    public static final Marker EACH = MarkerFactory.getMarker("each");

    private static final Pattern LOGGER = Pattern.compile("[A-Za-z_$][\\w$-]*(\\.[A-Za-z_$][\\w$-]*)*");
    private static final int LONGEST_LOGGER = 200;

    /** Copies the map. */
    public LogSettings {
        levels = Map.copyOf(levels);
    }

    /** Whether a logger may be called this: names with dots between, at most 200 characters; not the root. */
    public static boolean isLogger(String name) {
        return name.length() <= LONGEST_LOGGER
                && LOGGER.matcher(name).matches()
                && !name.equalsIgnoreCase(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }
}

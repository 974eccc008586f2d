package io.heartwheel.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Layout of a line of the log: one fact, one line, in the form that is wished for now.
 *
 * <pre>
 *   text   2026-01-02T03:04:05.678+01:00 WARN  CloseLog event loop 1 stood still for 1.2 s
 *   JSON   {"at":"2026-01-02T02:04:05.678Z","level":"warn","logger":"io.heartwheel.history.CloseLog","thread":"device-1","message":"..."}
 * </pre>
 *
 * What peers say of themselves may hold line breaks, terminal controls or marks that turn the direction of reading: in text each becomes a space, in
 * JSON it is escaped, so nobody can forge a line. A failure adds its stack: as further lines that begin with a tab, or as {@code error}.
 *
 * <p>Not Logback's own JSON encoder: its field names cannot be chosen, it has the message before its values are put in under {@code message}, where
 * collectors look, and the time in milliseconds only.
 *
 * <p>Any thread.
 */
public final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT);
    private static final JsonFactory JSON = JsonFactory.builder().build();
    private static final Pattern UNFIT = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    private static final int LINE_CHARS = 256;
    /** Beyond it JSON is escaped: the tilde. */
    private static final int HIGHEST_CHAR = 0x7e;
    /** No honest chain of causes is as deep. */
    private static final int DEEPEST_CAUSE = 20;

    private final ZoneId zone;
    private final JournalPriority journal;
    private volatile LogFormat format = LogFormat.TEXT;
    private volatile boolean standardError;

    /** Text in the machine's own time zone, until something else is wished for. */
    public LineLayout() {
        this(ZoneId.systemDefault(), JournalPriority.ofProcess());
    }

    LineLayout(ZoneId zone, JournalPriority journal) {
        this.zone = zone;
        this.journal = journal;
    }

    /** Tells that the lines go to standard error: where that is the journal of systemd, each begins with its priority. Any thread. */
    public void setStandardError(boolean standardError) {
        this.standardError = standardError;
    }

    /** Writes this form from the next line on. Any thread. */
    public void setFormat(LogFormat format) {
        this.format = format;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String lines = format == LogFormat.JSON ? json(event) : text(event);
        return standardError ? journal.marked(lines, event.getLevel()) : lines;
    }

    private String text(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(LINE_CHARS);
        TIME.formatTo(at(event).atZone(zone), line);
        String level = event.getLevel().toString();
        line.append(' ').append(level).append(" ".repeat(Math.max(1, 6 - level.length())));
        String logger = event.getLoggerName();
        line.append(logger, logger.lastIndexOf('.') + 1, logger.length())
                .append(' ')
                .append(fit(event.getFormattedMessage()))
                .append('\n');
        IThrowableProxy failure = event.getThrowableProxy();
        if (failure != null) {
            appendStack(line, failure, "", LineLayout::fit, 0);
        }
        return line.toString();
    }

    private static String fit(String text) {
        return UNFIT.matcher(text).replaceAll(" ");
    }

    private static String json(ILoggingEvent event) {
        StringWriter line = new StringWriter(LINE_CHARS);
        try (JsonGenerator json = JSON.createGenerator(line)) {
            // some readers end a line where Unicode would
            json.setHighestNonEscapedChar(HIGHEST_CHAR);
            json.writeStartObject();
            json.writeStringField("at", TIME.format(at(event).atZone(ZoneOffset.UTC)));
            json.writeStringField("level", event.getLevel().toString().toLowerCase(Locale.ROOT));
            json.writeStringField("logger", event.getLoggerName());
            json.writeStringField("thread", event.getThreadName());
            json.writeStringField("message", event.getFormattedMessage());
            IThrowableProxy failure = event.getThrowableProxy();
            if (failure != null) {
                StringBuilder stack = new StringBuilder();
                appendStack(stack, failure, "", text -> text, 0);
                json.writeStringField("error", stack.toString().strip());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.append('\n').toString();
    }

    /**
     * A failure and its causes in lines, the deepest frames they share left out.
     *
     * @param fit what makes a message of anybody's fit for a line
     */
    private static void appendStack(
            StringBuilder to, IThrowableProxy failure, String lead, UnaryOperator<String> fit, int depth) {
        String message = failure.getMessage();
        to.append(lead).append(failure.getClassName());
        if (message != null) {
            to.append(": ").append(fit.apply(message));
        }
        to.append('\n');
        StackTraceElementProxy[] frames = failure.getStackTraceElementProxyArray();
        int own = frames.length - failure.getCommonFrames();
        for (int i = 0; i < own; i++) {
            to.append('\t').append(frames[i].getSTEAsString()).append('\n');
        }
        if (own < frames.length) {
            to.append("\t... ").append(frames.length - own).append(" more\n");
        }
        if (depth == DEEPEST_CAUSE) {
            return;
        }
        for (IThrowableProxy suppressed : failure.getSuppressed()) {
            appendStack(to, suppressed, "\tsuppressed: ", fit, depth + 1);
        }
        if (failure.getCause() != null) {
            appendStack(to, failure.getCause(), "caused by: ", fit, depth + 1);
        }
    }

    private static Instant at(ILoggingEvent event) {
        return Instant.ofEpochMilli(event.getTimeStamp());
    }
}

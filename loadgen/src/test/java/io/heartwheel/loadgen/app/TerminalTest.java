package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.report.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Detection of a terminal and of its size. */
final class TerminalTest {

    @Test
    void isTerminal_whatTheKernelSaysOfADescriptor_isOneOnlyForTerminals() {
        assertTrue(Terminal.isTerminal("/dev/pts/3"));
        assertTrue(Terminal.isTerminal("/dev/tty1"));
        assertTrue(Terminal.isTerminal("/dev/console"));
        for (String other : new String[] {"pipe:[4711]", "socket:[4711]", "/dev/null", "/var/log/run.log", ""}) {
            assertFalse(Terminal.isTerminal(other), other);
        }
    }

    @Test
    void read_answerOfStty_isTheSizeOrWhatIsKnownOtherwise() {
        Screen otherwise = new Screen(90, 0);
        assertEquals(new Screen(120, 50), Terminal.read("50 120\n", otherwise));
        for (String none : new String[] {"0 0\n", "", "stty: invalid", "50 120 7", "50 x"}) {
            assertEquals(otherwise, Terminal.read(none, otherwise), none);
        }
    }

    @Test
    void print_noTerminal_leavesLinesAsTheyAre() {
        StringWriter seen = new StringWriter();
        Terminal.print(new PrintWriter(seen, true), null, "a".repeat(300) + "\nb");
        assertEquals("a".repeat(300) + "\nb\n", seen.toString());
    }
}

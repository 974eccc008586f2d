package io.heartwheel.loadgen.scenario;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;

/** An activity trace of any content: recorded connections and mistakes, both bounded, the same each time. */
public final class RecordingFuzz {
    private static final int MOST_LIVES = 50;

    private RecordingFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String text = new String(input, StandardCharsets.UTF_8);
        Recording recording = Recording.read(new StringReader(text), MOST_LIVES, 1_000);
        if (recording.lives().size() > MOST_LIVES || recording.mistakes().size() > Recording.MOST_MISTAKES + 2) {
            throw new AssertionError(recording);
        }
        if (!recording.lives().isEmpty() && recording.lives().get(0).connectAtMillis() != 0) {
            throw new AssertionError("the first life does not begin at 0: " + recording);
        }
    }
}

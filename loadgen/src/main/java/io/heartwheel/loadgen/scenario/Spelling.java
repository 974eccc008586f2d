package io.heartwheel.loadgen.scenario;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Hint at the word that was probably meant by a mistyped one. Pure functions. */
public final class Spelling {

    private Spelling() {}

    /** {@code , did you mean WORD?}; empty where no word is near, which is a third of its letters away at most. */
    public static String hint(String written, Collection<String> known) {
        return known.stream()
                .filter(word -> apart(written, word) <= Math.max(1, word.length() / 3))
                .min(Comparator.<String>comparingInt(word -> apart(written, word))
                        .thenComparing(Comparator.naturalOrder()))
                .map(word -> ", did you mean " + word + "?")
                .orElse("");
    }

    /** Letters to insert, to delete, to replace or to swap with their neighbour. */
    private static int apart(String written, String word) {
        String from = written.toLowerCase(Locale.ROOT);
        int[][] cost = new int[from.length() + 1][word.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= word.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int other = from.charAt(i - 1) == word.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(cost[i - 1][j - 1] + other, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == word.charAt(j - 2)
                        && from.charAt(i - 2) == word.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[from.length()][word.length()];
    }
}

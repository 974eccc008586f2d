package io.heartwheel.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Hint at the word that was probably meant by a mistyped one: a key, an option. */
public final class SpellingHint {
    private SpellingHint() {}

    /** The known word nearest to the wrong one, if it is near: of the letters behind those that both begin with, at most a third away. */
    public static Optional<String> of(String wrong, Collection<String> known) {
        return known.stream()
                .filter(word -> distance(wrong, word) <= Math.max(1, lettersThatDiffer(wrong, word) / 3))
                .min(Comparator.<String>comparingInt(word -> distance(wrong, word))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static int lettersThatDiffer(String a, String b) {
        int same = Arrays.mismatch(a.toCharArray(), b.toCharArray());
        return same < 0 ? 0 : Math.max(a.length(), b.length()) - same;
    }

    /** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
    static int distance(String a, String b) {
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        Arrays.setAll(last, j -> j);
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[b.length()];
    }
}

package io.heartwheel.loadgen.pace;

import java.util.BitSet;
import java.util.SplittableRandom;

/** Even choice of some of many, and division of many among few. Pure functions of their arguments: one seed, one choice. */
public final class Spread {

    private Spread() {}

    /** Exactly {@code round(total x share)} members of 0 to below total, drawn at random from the seed. */
    public static BitSet chosen(int total, double share, long seed) {
        int wanted = (int) Math.round(total * share);
        BitSet chosen = new BitSet(total);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0, left = wanted; i < total && left > 0; i++) {
            if (random.nextInt(total - i) < left) {
                chosen.set(i);
                left--;
            }
        }
        return chosen;
    }

    /**
     * Divides 0 to below total among kinds by weight, interleaved: after any number of members each kind is within one of
     * its share.
     *
     * @param weights at least one over 0, none below
     * @return the kind of each member
     */
    public static byte[] kinds(int total, double[] weights) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        byte[] kinds = new byte[total];
        double[] owed = new double[weights.length];
        for (int i = 0; i < total; i++) {
            int most = 0;
            for (int k = 0; k < weights.length; k++) {
                owed[k] += weights[k] / sum;
                most = owed[k] > owed[most] + 1e-9 ? k : most;
            }
            owed[most] -= 1;
            kinds[i] = (byte) most;
        }
        return kinds;
    }

    /** A fraction, 0 to below 1, for a member: evenly spread over any run of members. */
    public static double fraction(int index) {
        double turns = index * 0.7548776662466927;
        return turns - Math.floor(turns);
    }
}

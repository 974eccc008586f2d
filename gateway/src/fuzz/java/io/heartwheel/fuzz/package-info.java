/**
 * Decoders fed with what nobody meant, of the gateway and of the load generator: both compile this folder with their tests. A target is a class named
 * {@code *Fuzz} beside its decoder, with one method that takes bytes and fails when a rule is broken; here stands what feeds them.
 *
 * <pre>
 *   src/test/resources/fuzz/TARGET/*  --+-- each as it is, and many a little changed --&gt; FuzzTargetsTest   (mvn test)
 *   what was found before, and examples |
 *                                       +-- Jazzer, led by coverage -----------------&gt; FuzzIT            (-Pfuzz)
 *                                                    | a finding becomes a file there
 * </pre>
 */
package io.heartwheel.fuzz;

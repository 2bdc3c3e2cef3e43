/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TextShortenerTest {
  @Property(tries = 500)
  void shouldKeepTextWellFormedAndWithinItsBound(
      @ForAll String foreign, @ForAll @IntRange(max = 40) int most) {
    String text = UnicodeSanitizer.of(foreign);

    String beginning = TextShortener.truncate(text, most);

    assertThat(text).startsWith(beginning);
    assertThat(beginning.length()).isLessThanOrEqualTo(most);
    assertThat(UnicodeSanitizer.isWellFormed(beginning)).isTrue();
  }

  @Test
  void shouldMarkWhatIsLeftOutAndSplitNoPair() {
    assertThat(TextShortener.shorten("abc", 3)).isEqualTo("abc");
    assertThat(TextShortener.shorten("abcd", 3)).isEqualTo("abc…");
    assertThat(TextShortener.shorten("ab\ud83d\ude00", 3)).isEqualTo("ab…");
    assertThat(TextShortener.shorten("ab\ud83d\ude00", 4)).isEqualTo("ab\ud83d\ude00");
    assertThat(TextShortener.truncate("\ud83d\ude00", 0)).isEmpty();
  }
}

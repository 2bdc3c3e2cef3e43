/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.junit.jupiter.api.Test;

class FileDigestTest {
  private final FileDigest digest = new FileDigest();

  @Test
  void shouldForgetAFileThatCouldNotBeReadToItsEnd() throws IOException {
    InputStream broken = new SequenceInputStream(content("half"), new Broken());
    assertThatThrownBy(() -> digest.read(broken, 8)).hasMessage("Input/output error");

    assertThat(digest.read(content("abc"), 3)).isEqualTo(3);

    assertThat(digest.sha256())
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @Test
  void shouldReadNoMoreThanItIsTold() throws IOException {
    assertThat(digest.read(content("abcdef"), 3)).isEqualTo(3);

    assertThat(digest.sha256())
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  private static InputStream content(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  /** A disk that has had its day. */
  private static final class Broken extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("Input/output error");
    }
  }
}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

/**
 * Converts UTF-8 offsets to offsets in Java chars and in code points; each conversion starts at the
 * previous one.
 */
final class Utf8OffsetMapper {
  private final String text;
  private final byte[] bytes;
  private int atByte;
  private int atCharacter;
  private int atCodePoint;

  Utf8OffsetMapper(String text, byte[] bytes) {
    this.text = text;
    this.bytes = bytes;
  }

  int character(int offset) {
    goTo(offset);
    return atCharacter;
  }

  int codePoint(int offset) {
    goTo(offset);
    return atCodePoint;
  }

  /** Returns the offset after the character at an offset. */
  int after(int offset) {
    return offset + (offset < bytes.length ? width(bytes[offset]) : 1);
  }

  private static int width(byte first) {
    int value = first & 0xFF;
    return value < 0x80 ? 1 : value < 0xE0 ? 2 : value < 0xF0 ? 3 : 4;
  }

  private void goTo(int offset) {
    while (atByte < offset) {
      int width = width(bytes[atByte]);
      atByte += width;
      atCharacter += width == 4 ? 2 : 1;
      atCodePoint++;
    }
    while (atByte > offset) {
      atByte--;
      while ((bytes[atByte] & 0xC0) == 0x80) {
        atByte--;
      }
      atCharacter -= Character.isLowSurrogate(text.charAt(atCharacter - 1)) ? 2 : 1;
      atCodePoint--;
    }
  }
}

/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Creates the commands; passes the {@link CommandContext} to each constructor that takes one. */
public record CommandFactory(CommandContext context) implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      Class<?>[] parameters = constructor.getParameterTypes();
      if (parameters.length == 1 && parameters[0] == CommandContext.class) {
        constructor.setAccessible(true);
        try {
          return type.cast(constructor.newInstance(context));
        } catch (InvocationTargetException e) {
          throw new IllegalStateException("cannot create " + type, e.getCause());
        }
      }
    }
    return CommandLine.defaultFactory().create(type);
  }
}

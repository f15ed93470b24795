//! Plots of figures next to their goals.

use crate::error::Error;
use crate::figure::{Figure, Goal};
use crate::record::Run;
use plotters::prelude::*;

/// The parts that each plot shows.
const PLOTS: [(&str, &[&str]); 3] = [
    ("validate", &["offline", "client", "http"]),
    ("store", &["create", "memory", "stored", "import", "dry-run", "lists", "status", "progress"]),
    (
        "postgresql",
        &[
            "pg-create",
            "pg-import",
            "pg-dry-run",
            "pg-nodes",
            "pg-idle",
            "pg-claim",
            "pg-snapshot",
            "pg-list",
            "pg-reads",
            "pg-progress",
            "pg-feed",
        ],
    ),
];

/// The names of the plots.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PLOTS.iter().map(|(name, _)| *name)
}

const WIDTH: i32 = 900;
const ROW: i32 = 26;
const TOP: i32 = 40;
/// Left edge of the bars, and width of a factor of two.
const LEFT: i32 = 250;
const DOUBLING: i32 = 60;
/// Range of a bar below and above the goal, in factors of two.
const BELOW: i32 = 3;
const ABOVE: i32 = 4;

const MET: RGBColor = RGBColor(46, 125, 50);
const NOT_MET: RGBColor = RGBColor(198, 40, 40);

/// Draws a plot: a bar for every figure of its parts that has a goal, on a logarithmic scale.
pub(super) fn svg(name: &str, run: &Run) -> Result<String, Error> {
    let parts = PLOTS.iter().find(|(plot, _)| *plot == name).map(|(_, parts)| *parts).unwrap_or_default();
    let measured = run.parts.iter().filter(|measured| parts.contains(&measured.part.as_str()));
    let with_goal = measured.flat_map(|measured| &measured.figures).filter(|figure| figure.goal.is_some());
    let figures: Vec<&Figure> = with_goal.collect();
    let mut svg = String::new();
    draw(&mut svg, &figures).map_err(|e| Error::Bench(format!("the plot {name} cannot be drawn: {e}")))?;
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(svg: &mut String, figures: &[&Figure]) -> Result<(), Box<dyn std::error::Error>> {
    let rows = i32::try_from(figures.len())?;
    let height = TOP + ROW * rows + ROW / 2;
    let area =
        SVGBackend::with_string(svg, (WIDTH.cast_unsigned(), height.cast_unsigned())).into_drawing_area();
    area.fill(&WHITE)?;
    for (row, figure) in (0..).zip(figures) {
        bar(&area, TOP + ROW * row, figure)?;
    }
    let goal = LEFT + BELOW * DOUBLING;
    area.draw(&PathElement::new(vec![(goal, TOP - 8), (goal, height - 4)], BLACK.stroke_width(2)))?;
    text(&area, "goal", (goal - 14, 12))?;
    area.present()?;
    Ok(())
}

/// Draws a line of the plot: the name of the figure, the bar, the figure with its goal.
fn bar(area: &Area<'_>, top: i32, figure: &Figure) -> Result<(), Box<dyn std::error::Error>> {
    let colour = if figure.is_met() == Some(true) { MET } else { NOT_MET };
    let end = LEFT + length(figure);
    area.draw(&Rectangle::new([(LEFT, top + 2), (end, top + ROW - 6)], colour.filled()))?;
    text(area, &figure.id, (6, top + 4))?;
    let shown = format!("{}, {}", figure.measured, figure.shown_goal());
    let right = end.max(LEFT + BELOW * DOUBLING) + 8;
    text(area, &shown, (right, top + 4))
}

fn text(area: &Area<'_>, text: &str, place: (i32, i32)) -> Result<(), Box<dyn std::error::Error>> {
    area.draw(&Text::new(text.to_owned(), place, ("sans-serif", 13).into_font()))?;
    Ok(())
}

/// Returns the length of a figure's bar: it ends at the goal line if the goal is just reached, one step
/// further if the figure is twice as good.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn length(figure: &Figure) -> i32 {
    let median = figure.measured.median;
    let better = match figure.goal {
        Some(Goal::AtLeast(goal)) => median / goal,
        // Zero, and zero is the goal.
        Some(Goal::AtMost(0.0)) if figure.is_met() == Some(true) => 1.0,
        Some(Goal::AtMost(goal)) => goal / median,
        None => 1.0,
    };
    let doublings = better.log2().clamp(f64::from(-BELOW), f64::from(ABOVE));
    ((doublings + f64::from(BELOW)) * f64::from(DOUBLING)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::super::tests::a_run;
    use super::*;
    use crate::figure::Unit;

    #[test]
    fn a_bar_reaches_the_goal_line_when_the_goal_is_reached() {
        let of = |median: f64| Figure::new("a", "a", Unit::Ratio, &[median]);
        assert_eq!(length(&of(2.0).at_least(2.0)), BELOW * DOUBLING);
        assert_eq!(length(&of(4.0).at_least(2.0)), (BELOW + 1) * DOUBLING);
        assert_eq!(length(&of(4.0).at_most(2.0)), (BELOW - 1) * DOUBLING);
        assert_eq!(length(&of(0.0).at_most(2.0)), (BELOW + ABOVE) * DOUBLING);
        assert_eq!(length(&of(0.0).at_least(2.0)), 0);
        assert_eq!(length(&of(0.0).at_most(0.0)), BELOW * DOUBLING);
        assert_eq!(length(&of(1.0).at_most(0.0)), 0);
    }

    #[test]
    fn a_plot_has_a_bar_for_each_goal() {
        let svg = svg("validate", &a_run()).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert_eq!(svg.matches("fill=\"#2E7D32\"").count(), 1, "{svg}");
        assert_eq!(svg.matches("fill=\"#C62828\"").count(), 1, "{svg}");
        assert!(svg.contains("a.of_b") && svg.contains("2.00 [1.50-2.50], at least 3"), "{svg}");
    }
}
